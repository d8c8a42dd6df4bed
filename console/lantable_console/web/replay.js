"use strict";
// The page shows its last position without this; with it one can walk. Everything is drawn as text, never as markup.
const game = JSON.parse(document.getElementById("game").textContent);
const byId = (id) => document.getElementById(id);
const links = [...document.querySelectorAll("ol a")];
const last = game.steps.length - 1;
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
let at = last;
let timer = null;

function row(pieces) {
  const line = document.createElement("span");
  for (const [text, style] of pieces) {
    const piece = document.createElement("span");
    piece.textContent = text;
    piece.className = style;
    line.append(piece);
  }
  line.append("\n");
  return line;
}

function show(to, follow = true) {
  at = Math.min(Math.max(to, 0), last);
  const step = game.steps[at];
  byId("board").replaceChildren(...game.boards[step.board].map(row));
  byId("panel").textContent = game.panels[step.panel].join("\n");
  byId("said").textContent = step.said + (step.mark ? "  [" + step.mark + "]" : "");
  byId("at").textContent = game.words.at.replace("{at}", at).replace("{last}", last);
  byId("slider").value = at;
  byId("slider").setAttribute("aria-valuetext", step.said);
  for (const link of links) link.removeAttribute("aria-current");
  links[at].setAttribute("aria-current", "step");
  if (follow) {
    const list = links[at].closest("ol");
    const { offsetTop, offsetHeight } = links[at];
    const top = offsetTop - list.offsetTop;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + offsetHeight - list.clientHeight;
  }
  history.replaceState(null, "", "#" + at);
}

// A game runs at its players' own pace, times the speed; long pauses are cut, and it stays at the end.
function run(start) {
  clearTimeout(timer);
  timer = null;
  if (start && at === last) at = -1;
  byId("run").setAttribute("aria-pressed", start);
  byId("run").textContent = start ? game.words.stop : game.words.run;
  if (start) step();
}

function step() {
  show(at + 1);
  if (at === last) return run(false);
  timer = setTimeout(step, game.steps[at + 1].pause / Number(byId("speed").value));
}

function go(to) {
  run(false);
  show(to);
}

function leap(way) {
  let to = at + way;
  while (to > 0 && to < last && !game.steps[to].mark) to += way;
  go(to);
}

function faster(way) {
  const now = SPEEDS.indexOf(Number(byId("speed").value));
  byId("speed").value = SPEEDS[Math.min(Math.max(now + way, 0), SPEEDS.length - 1)];
}

const KEYS = {
  ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(last),
  " ": () => run(timer === null), "[": () => leap(-1), "]": () => leap(1), ",": () => faster(-1), ".": () => faster(1),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(KEYS, event.key)) return;
  // What has a use for the key itself keeps it.
  const name = event.target.tagName;
  if (name === "SELECT" || (event.key === " " && (name === "BUTTON" || name === "A"))) return;
  event.preventDefault();
  KEYS[event.key]();
});
byId("first").addEventListener("click", () => go(0));
byId("back").addEventListener("click", () => go(at - 1));
byId("on").addEventListener("click", () => go(at + 1));
byId("end").addEventListener("click", () => go(last));
byId("run").addEventListener("click", () => run(timer === null));
byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
links.forEach((link, number) => link.addEventListener("click", (event) => { event.preventDefault(); go(number); }));

const asked = Number(location.hash.slice(1));
byId("bar").hidden = false;
show(location.hash.length > 1 && Number.isInteger(asked) ? asked : last, false);
