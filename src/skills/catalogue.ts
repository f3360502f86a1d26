import type { Skill } from "./skill.ts";

/** Of the window, for the list of all skills. */
const shareOfWindow = 0.01;
/** Cautious: in most languages a token is longer. */
const bytesInToken = 3;
const shortestDescription = 24;

const title = "Skills: instructions for certain tasks. When one fits, read it with load_skill before you begin.";

/** Names and descriptions within one hundredth of the window: long descriptions are cut first, then all, then names are left out. */
export function catalogue(skills: readonly Skill[], windowTokens: number): string {
  const offered = skills.filter(({ isForModel }) => isForModel);
  if (offered.length === 0) return "";
  const budget = Math.floor(windowTokens * shareOfWindow * bytesInToken);
  const fits = (text: string) => Buffer.byteLength(text) <= budget;
  const longest = Math.max(...offered.map(({ description }) => description.length));
  if (fits(withDescriptions(offered, longest))) return withDescriptions(offered, longest);
  if (fits(withDescriptions(offered, shortestDescription))) {
    let [low, high] = [shortestDescription, longest];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (fits(withDescriptions(offered, middle))) low = middle;
      else high = middle;
    }
    return withDescriptions(offered, low);
  }
  let count = offered.length;
  while (count > 0 && !fits(namesOnly(offered, count))) count = Math.floor(count * 0.9);
  return namesOnly(offered, count);
}

function withDescriptions(skills: readonly Skill[], limit: number): string {
  return [
    title,
    ...skills.map(
      ({ name, description }) => `- ${name}${description === "" ? "" : `: ${shortened(description, limit)}`}`,
    ),
  ].join("\n");
}

function shortened(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text
        .slice(0, limit - 1)
        .replace(/[\ud800-\udbff]$/, "")
        .trimEnd()}…`;
}

function namesOnly(skills: readonly Skill[], count: number): string {
  const names = skills
    .slice(0, count)
    .map(({ name }) => name)
    .join(", ");
  const left = skills.length - count;
  return `${title}\n${names}${left > 0 ? `${count > 0 ? ", " : ""}and ${left} more: load_skill finds them by a word of theirs` : ""}`;
}
