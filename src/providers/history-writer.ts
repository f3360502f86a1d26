import type { Message } from "../contracts/message.ts";
import { createForgottenThinking } from "./forgotten-thinking.ts";
import type { CallIdRule, EncodeOptions } from "./protocol.ts";
import { createSerialisedPrefix, type Layout, type SerialisedPrefix } from "./serialised-prefix.ts";
import { createSoundHistory, type SoundHistory } from "./sound-history.ts";

export type WriterOptions<Variant extends string> = {
  readonly callIds: CallIdRule;
  /** May look at the messages before, never at those behind. */
  readonly serialise: (place: Place<Variant>) => string;
};

export type Place<Variant extends string> = {
  readonly message: Message;
  readonly i: number;
  readonly all: readonly Message[];
  readonly variant: Variant;
};

export type HistoryWriter<Variant extends string> = {
  write(messages: readonly Message[], options: EncodeOptions, variant: Variant): Written;
  /** The vendor does not take this conversation's thinking: the next writing leaves it out. False when there is none. */
  forgetThinking(messages: readonly Message[]): boolean;
};

export type Written = Layout & { readonly messages: readonly Message[] };

/** A conversation made sound and serialised, each message once. Variants of one message are kept apart. */
export function createHistoryWriter<Variant extends string>(options: WriterOptions<Variant>): HistoryWriter<Variant> {
  const forgotten = createForgottenThinking();
  const kinds = new Map<string, { readonly history: SoundHistory; readonly prefix: SerialisedPrefix }>();
  const frontiers = new WeakMap<Message, number>();

  function kindFor({ refusals, images, callIds: stricter }: EncodeOptions, variant: Variant) {
    const callIds = stricter === undefined ? options.callIds : bothOf(options.callIds, stricter);
    const shown = refusals.images ? "noted" : (images ?? "sent");
    const key = `${shown} ${callIds.pattern.source} ${callIds.longest} ${variant}`;
    let kind = kinds.get(key);
    if (kind === undefined) {
      const prefix = createSerialisedPrefix((message, i, all) => options.serialise({ message, i, all, variant }));
      kinds.set(key, (kind = { history: createSoundHistory({ callIds, images: shown }, forgotten), prefix }));
    }
    return kind;
  }

  return {
    write(messages, encodeOptions, variant) {
      const { history, prefix } = kindFor(encodeOptions, variant);
      const sound = history.of(messages);
      const layout = prefix.layoutOf(sound);
      const first = messages[0];
      if (first !== undefined) frontiers.set(first, sound.length === messages.length ? layout.frontier : 0);
      return { ...layout, messages: sound };
    },
    forgetThinking(messages) {
      const first = messages[0];
      const accepted = first === undefined ? 0 : (frontiers.get(first) ?? 0);
      return forgotten.forget(messages, accepted) || forgotten.forget(messages, 0);
    },
  };
}

function bothOf(wire: CallIdRule, vendor: CallIdRule): CallIdRule {
  return {
    pattern: new RegExp(`(?=${wire.pattern.source})(?:${vendor.pattern.source})`),
    longest: Math.min(wire.longest, vendor.longest),
  };
}
