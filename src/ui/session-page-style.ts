/** The style of an exported session: written into the page, so that it needs nothing from elsewhere. */
export const sessionPageStyle = `
:root { color-scheme: light dark;
  --paper: light-dark(#fbfaf7, #14171c); --card: light-dark(#ffffff, #1b2027); --sunk: light-dark(#f3f1ec, #101318);
  --ink: light-dark(#1d232b, #e4e7eb); --soft: light-dark(#616b7a, #97a1af); --line: light-dark(#e2dfd8, #2d343e);
  --accent: light-dark(#1f6fc2, #6aaef5); --user: light-dark(#e8f1fb, #1a2c40); --cut: light-dark(#b3264a, #ff7a95);
  --plus: light-dark(#e2f5e4, #14331f); --plus-ink: light-dark(#125c25, #8fe0a3); --minus: light-dark(#fde8e8, #3a1a1e); --minus-ink: light-dark(#93202b, #ffb0b6);
  --good: light-dark(#1b7a3d, #6fd08c); --bad: light-dark(#b3261e, #ff8a80); --hit: light-dark(#ffe58a, #7a6413); --now: light-dark(#ff9d2e, #d07a10);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
html { scroll-padding-top: 64px; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
a { color: var(--accent); }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; z-index: 9; padding: 6px 10px; background: var(--card); }
.bar { position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; align-items: center; gap: 8px; padding: 9px 18px;
  background: color-mix(in srgb, var(--paper) 90%, transparent); backdrop-filter: blur(8px); border-bottom: 1px solid var(--line); font-size: 14px; }
.bar .search span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.bar input { width: min(320px, 45vw); padding: 6px 11px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: inherit; font: inherit; }
.bar button { min-width: 34px; padding: 5px 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: inherit; font: inherit; cursor: pointer; }
.bar button:hover:enabled { border-color: var(--accent); }
.bar button:disabled { color: var(--soft); opacity: 0.55; cursor: default; }
.bar .gap { flex: 1; }
#count { min-width: 4.5em; color: var(--soft); font-variant-numeric: tabular-nums; }
#keys { flex-basis: 100%; margin: 2px 0; color: var(--soft); line-height: 2; }
kbd { margin-left: 12px; padding: 1px 6px; border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 5px; background: var(--card); font: 12px var(--mono); }
.columns { display: grid; grid-template-columns: minmax(0, 270px) minmax(0, 880px); justify-content: center; gap: 40px; padding: 0 24px 96px; }
nav { position: sticky; top: 56px; align-self: start; max-height: calc(100vh - 64px); overflow-y: auto; padding: 26px 0; font-size: 14px; line-height: 1.45; }
nav h2 { margin: 0 0 8px; color: var(--soft); font-size: 12px; font-weight: 600; letter-spacing: 0.05em; text-transform: uppercase; }
nav ol { margin: 0; padding: 0 0 0 30px; }
nav li { margin: 2px 0; color: var(--soft); font-variant-numeric: tabular-nums; }
nav a { display: block; padding: 3px 8px; border-left: 2px solid transparent; border-radius: 0 5px 5px 0; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { color: var(--ink); background: var(--sunk); }
nav a.here { color: var(--ink); border-left-color: var(--accent); }
nav .undone a { text-decoration: line-through; }
header { padding: 26px 0 6px; }
h1 { margin: 0 0 4px; font-size: 23px; line-height: 1.25; letter-spacing: -0.012em; overflow-wrap: anywhere; }
.about { margin: 0; color: var(--soft); font-size: 13.5px; overflow-wrap: anywhere; }
.figures { display: flex; flex-wrap: wrap; gap: 6px; margin: 14px 0 0; padding: 0; list-style: none; font-size: 13px; }
.figures li { padding: 2px 10px; border: 1px solid var(--line); border-radius: 99px; background: var(--card); }
figure { margin: 18px 0 0; padding: 12px 14px 4px; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 4px 16px; min-height: 21px; font-size: 13px; color: var(--soft); }
figcaption output { color: var(--ink); font-variant-numeric: tabular-nums; }
figure svg { display: block; width: 100%; height: auto; cursor: pointer; }
.grid { stroke: var(--line); } .tick { fill: var(--soft); font-size: 11px; }
.window { fill: color-mix(in srgb, var(--accent) 38%, transparent); stroke: var(--accent); stroke-width: 1.4; stroke-linejoin: round; }
.spent { fill: none; stroke: var(--ink); stroke-width: 2; stroke-linejoin: round; }
.fold { stroke: var(--cut); stroke-width: 1.3; stroke-dasharray: 3 3; } .tip { fill: var(--cut); } .grip { fill: transparent; }
.cutmark:hover .fold { stroke-dasharray: none; stroke-width: 2; }
.cross { stroke: var(--soft); }
.turn { padding-top: 22px; }
.item { content-visibility: auto; contain-intrinsic-size: auto 40px; margin: 10px 0; overflow-wrap: anywhere; }
.item:target { animation: arrive 2s ease-out; border-radius: 8px; }
@keyframes arrive { from { background: var(--hit); } }
.said { white-space: pre-wrap; }
.prompt { contain-intrinsic-size: auto 90px; padding: 10px 16px 13px; border-radius: 12px; background: var(--user); }
.prompt .about { margin-bottom: 3px; }
.prompt.synthetic { background: var(--sunk); color: var(--soft); font-size: 14px; }
.answer { contain-intrinsic-size: auto 120px; }
.answer > :first-child { margin-top: 0; } .answer > :last-child { margin-bottom: 0; }
.answer h3, .answer h4, .answer h5, .answer h6 { margin: 1.1em 0 0.4em; line-height: 1.3; }
.answer p, .answer ul, .answer ol, .answer blockquote { margin: 0.6em 0; }
.answer li > p:only-child { margin: 0; }
.answer blockquote { padding-left: 14px; border-left: 3px solid var(--line); color: var(--soft); }
code { padding: 1px 5px; border-radius: 5px; background: var(--sunk); font: 0.88em var(--mono); }
pre { margin: 8px 0; padding: 10px 13px; max-height: 75vh; overflow: auto; border: 1px solid var(--line); border-radius: 9px; background: var(--sunk); font: 13px/1.5 var(--mono); white-space: pre; tab-size: 4; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14.5px; }
th, td { padding: 5px 11px; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--sunk); }
.diff span { display: inline-block; min-width: 100%; }
.diff .plus { background: var(--plus); color: var(--plus-ink); } .diff .minus { background: var(--minus); color: var(--minus-ink); } .diff .hunk { color: var(--accent); }
summary { cursor: pointer; }
summary small { color: var(--soft); font-size: 12.5px; white-space: nowrap; }
.thinking summary { color: var(--soft); font-size: 14px; font-style: italic; }
.thinking .said { margin-top: 6px; padding-left: 14px; border-left: 3px solid var(--line); color: var(--soft); font-size: 14.5px; }
.call > details { border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.call > details > summary { position: relative; padding: 7px 13px 7px 32px; font-size: 14px; list-style: none; }
.call > details > summary::-webkit-details-marker { display: none; }
.call > details > summary::before { content: "\\203A"; position: absolute; left: 14px; top: 3px; color: var(--soft); font-size: 19px; transition: transform 0.12s; }
.call > details[open] > summary::before { transform: rotate(90deg); }
.call > details.failed { border-color: color-mix(in srgb, var(--bad) 45%, var(--line)); }
.call small b { color: var(--bad); }
.verb { color: var(--accent); font: 600 13px var(--mono); }
.title { font: 13px/1.5 var(--mono); white-space: pre-wrap; }
.peek { display: block; margin-top: 3px; color: var(--soft); font: 12px/1.5 var(--mono); white-space: pre; overflow: hidden; text-overflow: ellipsis; }
.peek i { opacity: 0.75; }
details[open] > summary .peek { display: none; }
.body { padding: 0 13px 9px 32px; }
.arguments summary { color: var(--soft); font-size: 13px; }
dl { margin: 6px 0; font-size: 13.5px; } dt { color: var(--soft); font: 12.5px var(--mono); } dd { margin: 1px 0 7px; }
.inside { margin: 8px 0 8px 4px; padding-left: 16px; border-left: 3px solid var(--line); }
.files { margin: 6px 0 0; padding: 0; list-style: none; color: var(--soft); font-size: 13px; }
.item img { display: block; max-width: 100%; max-height: 420px; margin-top: 8px; border: 1px solid var(--line); border-radius: 8px; }
.receipt, .mark, .ending { color: var(--soft); font-size: 13.5px; }
.receipt::before { content: "\\25BC"; margin-right: 8px; color: var(--cut); font-size: 11px; }
.mark.damage, .bad { color: var(--bad); } .good { color: var(--good); }
.ending { padding-bottom: 12px; border-bottom: 1px solid var(--line); }
.undone { opacity: 0.55; }
::highlight(found) { background-color: var(--hit); color: inherit; }
::highlight(current) { background-color: var(--now); color: #000; }
@media (max-width: 1000px) { .columns { grid-template-columns: minmax(0, 1fr); gap: 0; padding: 0 16px 64px; }
  nav { position: static; max-height: 34vh; padding-bottom: 0; } }
@media (prefers-reduced-motion: reduce) { .item:target { animation: none; outline: 2px solid var(--now); } }
@media print { :root { color-scheme: light; } .bar, nav, .skip, .cross { display: none; } .columns { display: block; padding: 0; } body { font-size: 11pt; background: #fff; }
  .item { content-visibility: visible; break-inside: auto; } .prompt, figure { break-inside: avoid; } pre { max-height: none; overflow: visible; white-space: pre-wrap; } h1 { font-size: 18pt; } }
`;
