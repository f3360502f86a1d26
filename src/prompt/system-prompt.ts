import { backgroundSection } from "./sections/background.ts";
import { environmentSection, type PromptEnvironment } from "./sections/environment.ts";
import { identitySection } from "./sections/identity.ts";
import { type InstructionFile, instructionsSection } from "./sections/instructions.ts";
import { rulesSection } from "./sections/rules.ts";

export type SystemPromptOptions = {
  readonly environment: PromptEnvironment;
  readonly instructions: readonly InstructionFile[];
  /** What extensions have to say. */
  readonly sections?: readonly string[];
  /** The same, but of the day on which the session began: at the very end, where it is found again. */
  readonly background?: readonly string[];
  /** Takes the place of identity and rules. */
  readonly replacement?: string;
  readonly addition?: string;
};

/** Built once a session and never changed inside it: every byte of it is cached by the vendor. So no clock and no live status. */
export function systemPrompt(options: SystemPromptOptions): string {
  const { environment, instructions, sections: more = [], background = [], replacement, addition } = options;
  const sections = [
    ...(replacement === undefined ? [identitySection, rulesSection] : [replacement]),
    environmentSection(environment),
    instructionsSection(instructions),
    ...more,
    addition ?? "",
    backgroundSection(background),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}
