/** What vendors accept as the name of a tool. */
const maxLength = 64;

export type ToolNames = {
  /** The same name for the same tool for as long as the program runs. */
  nameOf(server: string, tool: string): string;
};

/** `mcp__server__tool`. Two tools whose names would be the same once made valid are told apart by a hash of what they were. */
export function createToolNames(): ToolNames {
  const given = new Map<string, string>();
  const takenBy = new Map<string, string>();
  return {
    nameOf(server, tool) {
      const key = JSON.stringify([server, tool]);
      const known = given.get(key);
      if (known !== undefined) return known;
      const plain = `mcp__${valid(server)}__${valid(tool)}`;
      const isFree = plain.length <= maxLength && !takenBy.has(plain);
      const name = isFree ? plain : `${plain.slice(0, maxLength - hashLength - 1)}_${hashOf(key)}`;
      given.set(key, name);
      takenBy.set(name, key);
      return name;
    },
  };
}

/** Letters, digits, `_` and `-`. */
export function valid(name: string): string {
  return name.replace(/[^\w-]/g, "_") || "_";
}

const hashLength = 7;

/** FNV-1a, enough to tell a few names apart. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash.toString(36).padStart(hashLength, "0").slice(-hashLength);
}
