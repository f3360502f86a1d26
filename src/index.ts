/**
 * corecoder as a library: an agent, its tools and its events. The command line is built on nothing else.
 *
 * @module corecoder
 */
export { type Agent, createAgent } from "./agent/agent.ts";
export type { AgentOptions } from "./agent/conversation.ts";
export { createWorkspace, type WorkspaceOptions } from "./agent/workspace.ts";
export { createContextEngine, type EngineOptions } from "./context/engine.ts";
export { policies } from "./context/policies.ts";
export { replay } from "./context/replay.ts";
export { usesOf } from "./context/replay-uses.ts";
export type { ContextEdit, ContextEngine, PriceRow, Receipt } from "./contracts/context.ts";
export { ProviderError, ToolError, UserError } from "./contracts/errors.ts";
export type { AgentEvent, TurnOutcome, TurnTotals } from "./contracts/event.ts";
export type { Message, Part, Usage } from "./contracts/message.ts";
export type { PermissionMode, PermissionPolicy } from "./contracts/permission.ts";
export type { ModelAnswer, ModelRequest, Provider, ProviderEvent } from "./contracts/provider.ts";
export * as schema from "./contracts/schema.ts";
export {
  type AnyTool,
  defineTool,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from "./contracts/tool.ts";
export type { ToolView } from "./contracts/tool-view.ts";
export type { Workspace } from "./contracts/workspace.ts";
export { createPolicy } from "./permissions/policy.ts";
export { createProvider, type ProviderOptions } from "./providers/create-provider.ts";
export { createOpenAiChat } from "./providers/protocols/openai-chat.ts";
export { createTools } from "./tools/index.ts";
