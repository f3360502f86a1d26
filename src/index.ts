/**
 * corecoder as a library: an agent, its tools and its events. The command line is built on nothing else.
 *
 * @module corecoder
 */
export type { Agent } from "./agent/agent.ts";
export type { AgentOptions } from "./agent/agent-options.ts";
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
export { type CreateAgentOptions, createAgent } from "./create-agent.ts";
export { createPolicy } from "./permissions/policy.ts";
export { type ChoiceInput, chooseVendor, type ModelChoice } from "./providers/choose-vendor.ts";
export { type ConnectOptions, connect } from "./providers/connect.ts";
export { createProvider, type EndpointMemory, type ProviderOptions } from "./providers/create-provider.ts";
export { createPost, type Post } from "./providers/http-stream.ts";
export type { ProxySettings } from "./providers/network/proxy.ts";
export type { Protocol, Refusals } from "./providers/protocol.ts";
export { createAnthropicMessages } from "./providers/protocols/anthropic-messages.ts";
export { createGeminiGenerateContent } from "./providers/protocols/gemini-generate-content.ts";
export { createOpenAiChat } from "./providers/protocols/openai-chat.ts";
export { createOpenAiResponses } from "./providers/protocols/openai-responses.ts";
export { recordTraffic } from "./providers/traffic/record-traffic.ts";
export { replayTraffic } from "./providers/traffic/replay-traffic.ts";
export type { Vendor } from "./providers/vendor.ts";
export { vendors } from "./providers/vendors.ts";
export { createTools } from "./tools/index.ts";
