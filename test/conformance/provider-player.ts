import { afterAll, beforeAll } from "vitest";
import {
  type RawEnd,
  type Reply,
  rawStream,
  type ScriptedModel,
  startScriptedModel,
  text,
} from "../../src/testing/index.ts";
import { ask, message, type Outcome, providerFor, requestWith, said, type WireUnderTest } from "./provider-wires.ts";

export type Player = {
  /** One for each way to cut the network's pieces; the first does not cut. */
  readonly models: readonly ScriptedModel[];
  readonly model: ScriptedModel;
  /** What the models say from now on. */
  says(reply: Reply): void;
  /** Asks for this reply. */
  play(reply: Reply, more?: { readonly on?: ScriptedModel; readonly idleMs?: number }): Promise<Outcome>;
};

const cuts: readonly (number | (() => number) | undefined)[] = [
  undefined,
  1,
  7,
  13,
  () => 1 + Math.floor(Math.random() * 90),
];

/** Models that say what the test at hand wants. */
export function usePlayer(wire: WireUnderTest): Player {
  let reply: Reply = text("");
  const models: ScriptedModel[] = [];
  beforeAll(async () => {
    for (const cutBytes of cuts)
      models.push(await startScriptedModel(() => reply, cutBytes === undefined ? {} : { cutBytes }));
  });
  afterAll(() => Promise.all(models.map((one) => one.close())));
  return {
    models,
    get model() {
      return models[0] as ScriptedModel;
    },
    says: (next) => void (reply = next),
    play(next, { on = models[0] as ScriptedModel, idleMs = 5000 } = {}) {
      reply = next;
      return ask(providerFor(wire, { url: on.url, idleMs }), goWith(wire));
    },
  };
}

export const goWith = (wire: WireUnderTest) => requestWith(wire, [message("user", said("go"))]);

export const raw = (chunks: readonly (string | Uint8Array)[], end: RawEnd = "close", more: object = {}) =>
  rawStream({ chunks, end, ...more });
