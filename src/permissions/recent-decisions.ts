import type { PermissionDecision, PermissionRequest, RecentDecision } from "../contracts/permission.ts";

const kept = 50;
/** A command may be as long as a file; to recognise it its beginning will do. */
const longest = 500;

/** The last decisions of a session, oldest first. */
export function createRecentDecisions() {
  const decisions: RecentDecision[] = [];
  return {
    add({ tool, view }: PermissionRequest, { verdict, because, inSandbox }: PermissionDecision): void {
      const what = (view.command ?? view.title).slice(0, longest);
      decisions.push({ tool, what, verdict, because, ...(inSandbox ? { inSandbox } : {}) });
      if (decisions.length > kept) decisions.shift();
    },
    all: (): readonly RecentDecision[] => [...decisions],
  };
}
