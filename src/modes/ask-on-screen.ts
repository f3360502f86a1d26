import type { ParsedArguments } from "../config/arguments.ts";
import type { Environment } from "../config/load.ts";
import { type Asker, askThrough } from "../ui/ask-person.ts";
import { kindOfTerminal, surfaceOf, themeFor, wantsPlain } from "./terminal-facts.ts";

/** Questions before a conversation begins look like those inside it. Nothing is loaded before the first one. */
export function askOnScreen({ settings }: ParsedArguments, environment: Environment): void {
  const wish = settings.get("interface")?.value ?? environment.CORECODER_INTERFACE;
  if (wantsPlain(environment, wish === "plain" || wish === "full" ? wish : undefined)) return;
  let opened: Promise<Asker> | undefined;
  const asker = () => {
    opened ??= import("../ui/terminal/ask-alone.ts").then(({ createAskAlone }) =>
      createAskAlone(surfaceOf(kindOfTerminal(environment)), themeFor(environment, undefined).theme),
    );
    return opened;
  };
  askThrough({
    chooseKey: async (...question) => (await asker()).chooseKey(...question),
    askText: async (...question) => (await asker()).askText(...question),
    pickRow: async (...question) => (await asker()).pickRow(...question),
  });
}
