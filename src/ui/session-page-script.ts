/** What an exported session can do: search, fold, jump, dark and light. Without it the page can still be read. */
export const sessionPageScript = `
"use strict";
const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const main = byId("conversation");
const foldable = "main .call > details, main .thinking > details";

const theme = () => root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
const switchTheme = () => { root.dataset.theme = theme() === "dark" ? "light" : "dark"; };
byId("theme").addEventListener("click", switchTheme);

const unfoldButton = byId("unfold");
const unfoldAll = () => {
  const isOpening = unfoldButton.textContent === "Unfold all";
  for (const details of document.querySelectorAll(foldable)) details.open = isOpening;
  unfoldButton.textContent = isOpening ? "Fold all" : "Unfold all";
};
unfoldButton.addEventListener("click", unfoldAll);

const showKeys = () => {
  const keys = byId("keys");
  keys.hidden = !keys.hidden;
  byId("help").setAttribute("aria-expanded", String(!keys.hidden));
};
byId("help").addEventListener("click", showKeys);

/** Opens everything around a place, so that it can be seen. */
const uncover = (element) => {
  for (let holder = element?.closest("details"); holder; holder = holder.parentElement?.closest("details")) holder.open = true;
};
const jumpTo = (element) => {
  if (!element) return;
  uncover(element.parentElement);
  const own = element.querySelector(":scope > details");
  if (own) own.open = true;
  element.scrollIntoView({ block: "start" });
};
const followHash = () => { if (/^#i\\d+$/.test(location.hash)) jumpTo(byId(location.hash.slice(1))); };
addEventListener("hashchange", followHash);
followHash();

/* search: the text of a paragraph, a line, a block is looked through as one, whatever markup is inside it */
const blockTags = new Set(["P", "PRE", "LI", "TD", "TH", "H1", "H2", "H3", "H4", "H5", "H6", "DT", "DD", "SUMMARY", "DIV", "BLOCKQUOTE"]);
let blocks;
const readBlocks = () => {
  const found = [];
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT, {
    acceptNode: (node) => node.parentElement.closest(".peek, svg, output") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  });
  let owner;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let block = node.parentElement;
    while (!blockTags.has(block.tagName)) block = block.parentElement;
    if (block !== owner) { found.push({ nodes: [], starts: [], text: "" }); owner = block; }
    const last = found.at(-1);
    last.nodes.push(node);
    last.starts.push(last.text.length);
    last.text += node.data;
  }
  return found.map((block) => ({ ...block, text: lower(block.text) }));
};
/* some letters grow when they are folded, and places would no longer fit */
const lower = (text) => { const small = text.toLowerCase(); return small.length === text.length ? small : text; };

const mostHits = 2000;
let hits = [];
let current = -1;
const place = ({ nodes, starts }, at) => {
  let index = starts.length - 1;
  while (starts[index] > at) index--;
  return [nodes[index], at - starts[index]];
};
const rangeOf = ({ block, start, end }) => {
  const range = new Range();
  range.setStart(...place(block, start));
  const [node, offset] = place(block, end - 1);
  range.setEnd(node, offset + 1);
  return range;
};
const paint = (name, ranges) => { if (window.CSS?.highlights) ranges.length > 0 ? CSS.highlights.set(name, new Highlight(...ranges)) : CSS.highlights.delete(name); };
const tell = () => {
  const input = byId("search");
  const more = hits.length === mostHits ? "+" : "";
  byId("count").textContent = input.value.trim() === "" ? "" : hits.length === 0 ? "nothing" : (current + 1) + " / " + hits.length + more;
  for (const id of ["before", "after"]) byId(id).disabled = hits.length === 0;
};
const search = () => {
  const wanted = lower(byId("search").value.trim());
  hits = [];
  current = -1;
  if (wanted !== "") {
    blocks ??= readBlocks();
    for (const block of blocks) {
      for (let at = block.text.indexOf(wanted); at >= 0 && hits.length < mostHits; at = block.text.indexOf(wanted, at + wanted.length))
        hits.push({ block, start: at, end: at + wanted.length });
      if (hits.length === mostHits) break;
    }
  }
  paint("found", hits.map(rangeOf));
  paint("current", []);
  tell();
};
const step = (by) => {
  if (hits.length === 0) return;
  current = current < 0 ? (by > 0 ? 0 : hits.length - 1) : (current + by + hits.length) % hits.length;
  const range = rangeOf(hits[current]);
  const holder = range.startContainer.parentElement;
  uncover(holder.closest("summary") ? holder.closest("details").parentElement : holder);
  paint("current", [range]);
  if (!window.CSS?.highlights) { const selection = getSelection(); selection.removeAllRanges(); selection.addRange(range); }
  holder.closest(".item, header")?.scrollIntoView({ block: "nearest" });
  const pre = holder.closest("pre");
  if (pre) pre.scrollTop += range.getBoundingClientRect().top - pre.getBoundingClientRect().top - pre.clientHeight / 2;
  scrollBy({ top: range.getBoundingClientRect().top - innerHeight / 2 });
  tell();
};
let waiting;
byId("search").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, 120); });
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Escape") { event.target.value = ""; search(); event.target.blur(); }
  if (event.key !== "Enter") return;
  event.preventDefault();
  clearTimeout(waiting);
  if (current < 0) search();
  step(event.shiftKey ? -1 : 1);
});
byId("before").addEventListener("click", () => step(-1));
byId("after").addEventListener("click", () => step(1));

const requests = [...document.querySelectorAll("main > .turn > .prompt:first-child")];
const stepRequest = (by) => {
  const line = 90;
  const at = requests.findLastIndex((request) => request.getBoundingClientRect().top < line);
  const isInside = at >= 0 && requests[at].getBoundingClientRect().top < line - 60;
  requests[by > 0 ? at + 1 : isInside ? at : at - 1]?.scrollIntoView({ block: "start" });
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const action = {
    "/": () => byId("search").focus(), n: () => step(1), N: () => step(-1), j: () => stepRequest(1), k: () => stepRequest(-1),
    e: unfoldAll, t: switchTheme, "?": showKeys,
  }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

/* where one is */
const entries = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const mark = () => {
  const at = requests.findLast((request) => request.getBoundingClientRect().top < innerHeight / 3);
  for (const [id, link] of entries) {
    const isHere = at?.id === id;
    if (isHere && !link.classList.contains("here")) link.scrollIntoView({ block: "nearest" });
    link.classList.toggle("here", isHere);
  }
};
let marking = false;
addEventListener("scroll", () => {
  if (marking) return;
  marking = true;
  requestAnimationFrame(() => { marking = false; mark(); });
}, { passive: true });
mark();

/* the chart: says what is under the pointer, and goes there */
const figure = byId("chart");
if (figure) {
  const { frame, items, times, tokens, cost } = JSON.parse(byId("data").textContent);
  const svg = figure.querySelector("svg");
  const cross = svg.querySelector(".cross");
  const said = figure.querySelector("output");
  const callAt = (event) => {
    const box = svg.getBoundingClientRect();
    const share = (((event.clientX - box.left) / box.width) * frame.width - frame.left) / (frame.right - frame.left);
    return Math.round(Math.min(Math.max(share, 0), 1) * (items.length - 1));
  };
  svg.addEventListener("pointermove", (event) => {
    const index = callAt(event);
    const x = frame.left + (index / (items.length - 1)) * (frame.right - frame.left);
    cross.setAttribute("x1", x); cross.setAttribute("x2", x); cross.setAttribute("visibility", "visible");
    said.textContent = "call " + (index + 1) + ", " + times[index] + ": " + tokens[index].toLocaleString("en") + " tokens" + (cost.at(-1) > 0 ? ", $" + cost[index].toFixed(3) + " so far" : "");
  });
  svg.addEventListener("pointerleave", () => { cross.setAttribute("visibility", "hidden"); said.textContent = ""; });
  svg.addEventListener("click", (event) => {
    if (event.target.closest("a")) return;
    location.hash = "i" + items[callAt(event)];
  });
}
`;
