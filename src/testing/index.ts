/**
 * A model that follows a script, for testing tools and prompts offline: a real server on loopback, the real wire, no key.
 *
 * @module corecoder/testing
 */
export { assertPairing } from "./assert-pairing.ts";
export {
  type CallOptions,
  type CallsOptions,
  call,
  calls,
  type FinishReason,
  type ForeverReply,
  fault,
  forever,
  type RawEnd,
  type RawStreamOptions,
  type Reply,
  rawStream,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedFault,
  type ScriptedRawStream,
  type ScriptedStall,
  type ScriptedUsage,
  stall,
  type TextOptions,
  text,
} from "./reply.ts";
export {
  bodyOf,
  errorEvent,
  eventsOf,
  type RecordedRequest,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from "./scripted-model.ts";
export type { RequestBody, StreamError, WireMessage, WireName } from "./wire.ts";
