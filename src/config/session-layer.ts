import type { SessionSettings } from "../contracts/session.ts";
import type { Found, Layer, Origin } from "./layers.ts";
import { readValue } from "./setting-values.ts";
import { type SettingKey, type Settings, settingFor } from "./settings-table.ts";

/** Settings that shape a conversation and so come back with it. Keys and permissions are given anew every time. */
const restorable: readonly SettingKey[] = [
  "model",
  "provider",
  "baseUrl",
  "temperature",
  "effort",
  "maxTokens",
  "maxContext",
  "contextPolicy",
  "addDirs",
  "systemPrompt",
  "appendSystemPrompt",
];

export type RememberedSettings = {
  /** Given on the command line for this session: stronger than what the environment says later. */
  readonly given: SessionSettings;
  /** In force from elsewhere: weaker than what is said there later. */
  readonly ambient: SessionSettings;
};

/** What a project's files said is not remembered: with another key, a remembered address could be given the person's own. */
export function rememberSettings(settings: Settings, origins: ReadonlyMap<SettingKey, Origin>): RememberedSettings {
  const from = (wanted: (origin: Origin) => boolean): SessionSettings =>
    Object.fromEntries(
      restorable.flatMap((key) => {
        const value = settings[key] as SessionSettings[string] | undefined;
        const origin = origins.get(key);
        return value !== undefined && origin !== undefined && wanted(origin) ? [[key, value]] : [];
      }),
    );
  const isGiven = ({ layer }: Origin) => layer === "option" || layer === "session";
  return {
    given: from(isGiven),
    ambient: from((origin) => !isGiven(origin) && origin.layer !== "default" && origin.untrusted !== true),
  };
}

/** Values that do not fit any more, from an older or a newer program, are passed over. */
export function sessionLayer(remembered: SessionSettings): Layer {
  const layer = new Map<string, Found>();
  for (const key of restorable) {
    const setting = settingFor(key);
    const value = remembered[key];
    if (setting === undefined || value === undefined) continue;
    const read = readValue(setting, value);
    if ("value" in read) layer.set(key, { value: read.value, origin: { layer: "session", name: "the saved session" } });
  }
  return layer;
}
