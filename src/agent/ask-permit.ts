import type { PermissionDenial } from "../contracts/event.ts";
import type { HookOutcome } from "../contracts/hook.ts";
import type { ToolCallPart } from "../contracts/message.ts";
import type {
  AskPermission,
  PermissionDecision,
  PermissionPolicy,
  PermissionRequest,
} from "../contracts/permission.ts";
import type { Tool } from "../contracts/tool.ts";
import type { ToolView } from "../contracts/tool-view.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { callHooks, type HookCaller } from "./hook-points.ts";

/** May this call run? The policy decides; where it asks, the person does; where nobody can be asked, it is refused. */
type CallInQuestion = {
  readonly call: ToolCallPart;
  readonly tool: Tool<unknown>;
  readonly input: unknown;
  readonly options: HookCaller & {
    readonly workspace: Workspace;
    readonly permissions: PermissionPolicy;
    readonly ask: AskPermission | undefined;
    readonly onDenial: (denial: PermissionDenial) => void;
  };
};

export type Permit = { readonly refusal: string | undefined; readonly inSandbox: boolean };

export function requestFor({ tool, options: { workspace } }: CallInQuestion, view: ToolView): PermissionRequest {
  return {
    tool: tool.name,
    effect: tool.effect,
    view,
    cwd: workspace.cwd,
    root: workspace.root,
    writableRoots: workspace.writableRoots,
  };
}

export async function askPermit(
  asking: CallInQuestion,
  view: ToolView,
  wish: HookOutcome["permission"],
): Promise<Permit> {
  const request = requestFor(asking, view);
  const decision = withWish(await asking.options.permissions.decide(request), wish);
  return settle(decision, request, asking);
}

/** The refusal is what the model should read. */
export async function settle(
  decision: PermissionDecision,
  request: PermissionRequest,
  asking: CallInQuestion,
): Promise<Permit> {
  const { call, tool, options } = asking;
  const { permissions, ask, signal } = options;
  const granted: Permit = { refusal: undefined, inSandbox: decision.inSandbox === true };
  if (decision.verdict === "allow") return granted;
  const deny = (refusal: string): Permit => {
    options.onDenial({ tool: tool.name, callId: call.callId, input: call.input, because: decision.because });
    return { refusal, inSandbox: false };
  };
  if (decision.verdict === "deny") return deny(`Permission denied: ${decision.because}.`);
  if (ask === undefined) return deny(nobodyToAsk(decision));
  const message = `corecoder needs your permission to use ${tool.name}`;
  // the question does not wait for whoever is told of it
  void callHooks(options, { type: "Notification", about: "permission_prompt", message });
  const { because, rule, parts } = decision;
  const change = await tool.preview?.(asking.input, options.workspace).catch(() => undefined);
  const answer = await ask(
    {
      callId: call.callId,
      request,
      because,
      rule,
      ...(parts ? { segments: parts } : {}),
      ...(change ? { change } : {}),
    },
    signal,
  );
  if (answer.type === "no")
    return deny(answer.word ? `The user said no: ${answer.word}` : "Permission denied: the user said no.");
  if (answer.type !== "once" && decision.rule)
    permissions.allow(decision.rule, answer.type === "always" ? "project" : "session");
  return granted;
}

/** A hook may ask where nothing would, and answer a question that is not the person's own wish; it never lifts a refusal. */
function withWish(decision: PermissionDecision, wish: HookOutcome["permission"]): PermissionDecision {
  if (wish === undefined || decision.verdict === "deny") return decision;
  const because = `a hook says: ${wish.because}`;
  if (wish.verdict === "ask") return decision.verdict === "ask" ? decision : { ...decision, verdict: "ask", because };
  if (decision.verdict === "allow" || decision.isWished) return decision;
  return { ...decision, verdict: "allow", because };
}

function nobodyToAsk(decision: PermissionDecision): string {
  const way = decision.rule ? ` The user can allow it with --allowed-tools '${decision.rule}'.` : "";
  return `Permission denied: ${decision.because}, so it needs the user's approval, and nobody can be asked in this run.${way} Go on without it.`;
}
