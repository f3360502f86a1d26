/** The style and the script of the comparison page: written into it, so that it needs nothing from elsewhere. */

export const pageStyle = `
:root { color-scheme: light dark; --paper: #fbfaf7; --card: #fff; --ink: #1d232b; --soft: #667080; --line: #e4e2dc; --accent: #b3264a;
  --system: #a3acb8; --summary: #8a5cc9; --user: #2f7ed0; --agent: #27a283; --results: #eab35a; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171c; --card: #1b2027; --ink: #e8eaed; --soft: #97a1af; --line: #2d343e; --accent: #ff7a95;
    --system: #667182; --summary: #a37ce0; --user: #4b96e6; --agent: #2fae8d; --results: #c99340; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 28px 64px; max-width: 1400px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { margin: 0; font-size: 25px; letter-spacing: -0.01em; }
h2 { display: inline; font-size: 18px; }
p.about { margin: 6px 0 22px; color: var(--soft); max-width: 96ch; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 10px; text-align: right; white-space: nowrap; }
th { color: var(--soft); font-weight: 500; border-bottom: 1px solid var(--line); cursor: help; }
th:first-child, td:first-child { text-align: left; font-weight: 600; }
tr + tr td { border-top: 1px solid var(--line); }
td.ratio { background: linear-gradient(to right, color-mix(in srgb, var(--user) 24%, transparent) var(--share), transparent var(--share)); }
td.ratio.dear { background: color-mix(in srgb, var(--accent) 22%, transparent); }
.legend { display: flex; flex-wrap: wrap; gap: 6px 20px; margin: 20px 2px 12px; padding: 0; list-style: none; color: var(--soft); font-size: 13.5px; }
.legend li { display: flex; align-items: center; gap: 7px; }
.legend i { width: 13px; height: 13px; border-radius: 3px; }
.legend svg { width: 20px; height: 14px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(520px, 100%), 1fr)); gap: 16px; }
figure { margin: 0; padding: 14px 14px 6px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 2px 12px; }
figcaption b { font-size: 16px; }
figcaption span { color: var(--soft); font-size: 13px; }
output { display: block; height: 19px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; color: var(--soft); font-size: 12.5px; font-variant-numeric: tabular-nums; }
figure svg { display: block; width: 100%; height: auto; touch-action: pan-y; }
.system { fill: var(--system); } .summary { fill: var(--summary); } .user { fill: var(--user); } .agent { fill: var(--agent); } .results { fill: var(--results); }
i.system { background: var(--system); } i.summary { background: var(--summary); } i.user { background: var(--user); }
i.agent { background: var(--agent); } i.results { background: var(--results); }
.grid { stroke: var(--line); stroke-width: 1; }
.tick { fill: var(--soft); font-size: 11px; }
.limit { stroke: var(--accent); stroke-width: 1; stroke-dasharray: 5 4; }
.cut { stroke: var(--accent); stroke-width: 1.2; }
.fold { stroke: var(--accent); stroke-width: 1.2; stroke-dasharray: 3 3; }
.tip { fill: var(--accent); }
.cost { fill: none; stroke: var(--ink); stroke-width: 2; stroke-linejoin: round; }
.cost.none { stroke: var(--soft); stroke-width: 1.3; stroke-dasharray: 4 4; }
.cross { stroke: var(--ink); stroke-width: 1; }
.session { margin-top: 30px; }
summary { margin-bottom: 12px; cursor: pointer; }
summary small { margin-left: 8px; color: var(--soft); font-size: 14px; }
`;

/** Moves one line through all charts of a session and says what is under it. */
export const pageScript = `
const { frame, layers, sessions } = JSON.parse(document.getElementById("data").textContent);
const short = (n) => (n < 1000 ? String(Math.round(n)) : (n / 1000).toFixed(n < 10000 ? 1 : 0) + "k");
for (const [number, section] of document.querySelectorAll(".session").entries()) {
  const charts = [...section.querySelectorAll("figure")].map((figure, index) => ({
    svg: figure.querySelector("svg"), cross: figure.querySelector(".cross"), said: figure.querySelector("output"), data: sessions[number][index],
  }));
  const hide = () => charts.forEach(({ cross, said }) => { cross.setAttribute("visibility", "hidden"); said.textContent = ""; });
  const showAt = (share) => {
    for (const { cross, said, data } of charts) {
      const index = Math.round(share * (data.cost.length - 1));
      const x = frame.left + (index / Math.max(data.cost.length - 1, 1)) * (frame.right - frame.left);
      cross.setAttribute("x1", x); cross.setAttribute("x2", x); cross.setAttribute("visibility", "visible");
      const parts = layers.map((title, layer) => [title, data.parts[layer][index]]).filter(([, n]) => n > 0);
      const all = parts.reduce((sum, [, n]) => sum + n, 0);
      said.textContent = "call " + (index + 1) + ", $" + data.cost[index].toFixed(3) + " so far, " + short(all) + " tokens: " +
        parts.reverse().map(([title, n]) => title.replace(/^tool | and tools$/, "") + " " + short(n)).join(", ") + (data.cuts[index] ? "; cut by " + data.cuts[index] : "");
    }
  };
  for (const { svg } of charts) {
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * frame.width;
      showAt(Math.min(Math.max((x - frame.left) / (frame.right - frame.left), 0), 1));
    });
    svg.addEventListener("pointerleave", hide);
  }
}
`;
