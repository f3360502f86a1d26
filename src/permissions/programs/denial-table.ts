import type { Call, Judge } from "../shell/judge.ts";
import type { Value } from "../shell/value.ts";
import { lookUp } from "./look-up.ts";

/** Says what is destroyed, or nothing. Works on any spelling, also one with options nobody knows. */
type Denial = (call: Call, judge: Judge) => string | undefined;

const asksForHelp = ({ args }: Call) => args.some(({ text }) => /^--(help|version)$/.test(text));

const stopsMachine: Denial = (call) => (asksForHelp(call) ? undefined : "it stops the machine");

const stopsMachineByWord =
  (words: RegExp): Denial =>
  (call) =>
    call.args.some(({ text }) => words.test(text)) ? "it stops the machine" : undefined;

/** Programs that format, partition or erase; harmless on a plain file or when they only list. */
const changesDisk: Denial = (call, judge) => {
  if (
    asksForHelp(call) ||
    call.args.some(({ text }) => /^(-l|--list|print|-[iI]|--detail|list|luksDump|status|smart-log|id-ctrl)$/.test(text))
  )
    return undefined;
  const device = call.args.find((value) =>
    judge.places.locate(value, call.state, "followed")?.some(({ path }) => path.startsWith("/dev/")),
  );
  return device && `it changes the disk ${device.text}`;
};

/** A mode or owner given to everything below a folder that the machine or the user lives on. */
const changesVitalFolder: Denial = (call, judge) => {
  const isRecursive = call.args.some(
    ({ text }) => /^-[a-zA-Z]*R/.test(text) || (text.length > 3 && "--recursive".startsWith(text)),
  );
  const vital = call.args.find((value) =>
    judge.places
      .locate(value, call.state, "followed")
      ?.some((place) => place.path === "/" || (isRecursive && judge.places.isVital(place))),
  );
  return vital && !vital.text.startsWith("-") ? `it changes who may use ${vital.text}` : undefined;
};

/** `kill -9 -1` reaches every process; `kill -1 PID` is only a hang-up. */
const killsEverything: Denial = ({ args }) => {
  const texts = args.map(({ text }) => text);
  const givesSignal = /^-(\d+|[A-Z]|s$|n$|-signal)/.test(texts[0] ?? "") && !(texts.length === 1 && texts[0] === "-1");
  const processes = givesSignal ? texts.slice(/^-(s|n|-signal)$/.test(texts[0] ?? "") ? 2 : 1) : texts;
  return processes.some((text) => text === "-1") ? "it ends every process of the user" : undefined;
};

const handsOutShell: Denial = ({ args }) => {
  const word = args.find(({ text }: Value) => /^-[a-zA-Z]*[ec]$|^--(exec|sh-exec|lua-exec)\b/.test(text));
  return word && "it hands a shell to the network";
};

const handsOutProgram: Denial = ({ args }) =>
  args.some(({ text }) => /\b(exec|system|shell):/i.test(text)) ? "it hands a program to the network" : undefined;

const table: Readonly<Record<string, Denial>> = {
  shutdown: stopsMachine,
  reboot: stopsMachine,
  halt: stopsMachine,
  poweroff: stopsMachine,
  killall5: stopsMachine,
  init: stopsMachineByWord(/^[0-6S]$/),
  telinit: stopsMachineByWord(/^[0-6S]$/),
  systemctl: stopsMachineByWord(
    /^(poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|rescue|emergency|isolate)$/,
  ),
  loginctl: stopsMachineByWord(/^(poweroff|reboot|halt)$/),
  kill: killsEverything,
  chmod: changesVitalFolder,
  chown: changesVitalFolder,
  chgrp: changesVitalFolder,
  chattr: changesVitalFolder,
  setfacl: changesVitalFolder,
  nc: handsOutShell,
  ncat: handsOutShell,
  netcat: handsOutShell,
  socat: handsOutProgram,
};

const diskPrograms =
  /^(mkfs(\..+)?|mke2fs|mkswap|mkntfs|wipefs|blkdiscard|[sc]?fdisk|s?gdisk|parted|hdparm|nvme|badblocks|cryptsetup|pvcreate|vgremove|lvremove|zpool|mdadm|shred|newfs.*|format)$/;

export function denialOf(call: Call, judge: Judge): string | undefined {
  if (diskPrograms.test(call.program)) return changesDisk(call, judge);
  return lookUp(table, call.program)?.(call, judge);
}
