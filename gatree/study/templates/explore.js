// The page's state, and how buttons, slider, mouse and keys change it.
const state = {
  // edits, the trees and sizes before each, and edits to redo
  size: data.chosen, root: trees[data.chosen], stats: null, edits: [], roots: [], undone: [],
  selected: null, collapsed: new Set(), folded: new Set(), highlighted: null, typed: new Map(), row: null,
  places: null,
};
const isEdited = () => state.root !== trees[state.size];
const firstShown = () => firsts.find(({ root }) => root === state.root); // another first question, not edited
const treeName = () => {
  const first = firstShown(), leaves = leavesText(leavesOf(state.root).length);
  if (first) return `${leaves}, starting with ${nameOf(first.attribute)}`;
  return `${leaves}${isEdited() ? ", edited by hand" : state.size === data.chosen ? ", chosen" : ""}`;
};

const drawTree = (refit = false) => {
  const { group, extent, places } = drawnTree(state.root, state.stats, canvas.isPrinted ? unfolded() : state);
  state.places = places;
  canvas.frame.replaceChildren(group);
  if (refit) canvas.fit(extent, READABLE);
  else { canvas.extent = extent; canvas.apply(); }
};
const drawFigures = () => {
  const worth = isEdited() ? worthOf(state.root, state.stats) : data.sizes[state.size].train;
  const ends = leavesOf(state.root), depth = Math.max(...ends.map(({ path }) => path.length));
  const hits = isNumber ? 0 : ends.reduce((sum, { path }) => sum + state.stats.get(path).right, 0),
    n = ends.reduce((sum, { path }) => sum + state.stats.get(path).n, 0);
  const hint = isNumber ? "" : `${counted(hits)} of ${counted(n)} right`;
  const figures = [["leaves", counted(ends.length), `depth ${depth}`],
    [`${worthName}, training data`, worthText(worth), hint]];
  if (!isEdited() && data.judged.length) {
    const here = data.judged[state.size];
    if (state.size === data.chosen)
      figures.push([`${worthName}, the whole procedure`, worthText(data.procedure.worth),
      `± ${errorText(data.procedure.error)} in cross-validation`]);
    figures.push([`${worthName}, this size`, worthText(here.worth),
      `± ${errorText(here.error)} in cross-validation`]);
    if (data.shows_classes && state.size === data.chosen)
      figures.push(["balanced accuracy, the whole procedure", percent(data.procedure.balanced, 2),
      "in cross-validation"]);
    if (data.shows_classes)
      figures.push(["balanced accuracy, this size", percent(here.balanced, 2), "in cross-validation"]);
  }
  if (data.sizes[state.size].proven && !isEdited())
    figures.push(["proven", "✓", `no tree of this size ${data.terms}`]);
  byId("figures")
    .replaceChildren(...figures.map(([name, value, hint]) =>
    html("div", {}, html("dt", {}, name),
    html("dd", {}, html("b", {}, value), html("span", { class: "hint" }, ` ${hint}`)))));
  const status = byId("edited"), first = firstShown(), other = byId("other-tree");
  byId("tree-title").textContent = `The tree: ${treeName()}`;
  other.hidden = state.root === trees[data.chosen];
  other.textContent = `The tree shown below is another one: ${treeName()}.`;
  status.hidden = !isEdited();
  const how = first
    ? `The best tree found of at most ${leavesText(data.sizes[data.chosen].leaves)} `
      + `that starts with ${nameOf(first.attribute)}`
    : "Edited by hand";
  status.textContent = isEdited() ? `${how}: these numbers are for the training data only`
    + (isSampled && nodesOf(state.root).some((node) => !node.counts)
      ? `, and counts below new tests are of the ${counted(rows.n)} rows on this page`
      : "") + "." : "";
  byId("undo").disabled = !state.edits.length;
  byId("redo").disabled = !state.undone.length;
  byId("reset").disabled = !isEdited();
};
const drawAll = (refit = false) => {
  state.stats = measured(state.root);
  if (state.selected !== null && !at(state.root, state.selected)) state.selected = null;
  drawFigures();
  drawNode();
  drawWhatIf();
  if (state.typed.size) state.highlighted = pathOf(state.root, (index) => state.typed.get(index) ?? null);
  drawTree(refit);
  if (state.typed.size) showPath();
  else byId("verdict").replaceChildren();
  drawImportance();
};
const marksOf = (index) => {
  const marks = [[data.chosen, `chosen ${data.how_chosen}`], [data.best, "the best size in cross-validation"],
    [data.within, "the smallest within one standard error of the best"]];
  for (const [at, lost] of data.smaller) marks.push([at, `loses ${lost} compared with the chosen size`]);
  const here = marks.filter(([at]) => at === index).map(([, words]) => words);
  return here.length ? ` (${here.join("; ")})` : "";
};
const markSize = (index) => { // on the slider and in the front; returns its text
  state.size = Math.max(0, Math.min(trees.length - 1, index));
  const slider = byId("size"), leaves = leavesText(data.sizes[state.size].leaves);
  slider.value = state.size;
  const text = `${leaves}: ${worthName} ${worthText(data.sizes[state.size].train)} on the training data`
    + (data.judged.length
      ? `, ${worthText(validatedAt(state.size))} ± ${errorText(data.judged[state.size].error)} `
        + `in cross-validation${scoreText(state.size)}`
      : "")
    + marksOf(state.size);
  slider.setAttribute("aria-valuetext", text);
  byId("size-text").textContent = text;
  drawFront(state.size);
  drawMistakes();
  return text;
};
const setSize = (index, aloud = false) => { // aloud: announce the size, which the slider does itself
  const text = markSize(index);
  Object.assign(state, { root: trees[state.size], edits: [], roots: [], undone: [], selected: null });
  foldAll();
  if (aloud) say(text);
  drawAll(true);
  keepInAddress();
};
// Trees that are too wide to be read open folded, at the largest depth that fits.
const foldedFor = (root) => {
  const all = leavesOf(root), most = canvas.size()[0] / READABLE;
  const foldedAt = (depth) => new Set(all.filter(({ path }) => path.length > depth)
    .map(({ path }) => path.slice(0, depth)));
  let depth = Math.max(1, ...all.map(({ path }) => path.length));
  for (; depth > 1; depth--) {
    const { left, right } = extentOf(placed(root, foldedAt(depth)));
    if (right - left <= most) break;
  }
  return foldedAt(depth);
};
const fold = (path) => {
  for (const below of foldedFor(at(state.root, path))) for (const paths of [state.folded, state.collapsed])
    paths.add(`${path}${below}`);
};
const foldAll = () => {
  Object.assign(state, { collapsed: new Set(), folded: new Set() });
  fold("");
};
const unfold = (path) => { // as far as what is below is not too wide
  if (!state.collapsed.delete(path)) return;
  state.folded.delete(path);
  fold(path);
};
// What is printed and saved as a picture: everything but what was collapsed by hand.
const unfolded = () =>
  ({ ...state, collapsed: new Set([...state.collapsed].filter((path) => !state.folded.has(path))) });
const keepInAddress = () => {
  // which replaces the tree
  const lasting = state.edits.slice(Math.max(0, state.edits.findLastIndex(([kind]) => kind === "f")));
  const edits = lasting.length ? `&edits=${encodeURIComponent(JSON.stringify(lasting))}` : "";
  try {
    history.replaceState(null, "", `#leaves=${data.sizes[state.size].leaves}${edits}`);
  } catch { /* some browsers do not allow it for a file */ }
};
const fromAddress = () => {
  const given = new URLSearchParams(location.hash.slice(1));
  const requested = data.sizes.findIndex((size) => String(size.leaves) === given.get("leaves"));
  setSize(requested >= 0 ? requested : data.chosen);
  try {
    for (const edit of JSON.parse(given.get("edits") ?? "[]")) if (!act(edit, true)) break;
  } catch { say("The edits in the address do not fit this page"); }
};

// --- edits by hand -----------------------------------------------------------------------------------------
// An edit is a list: ["p", path] prunes, ["n", path] splits as the next larger tree does, ["t", path,
// attribute, value] splits with any test, ["f", index] shows the best tree with another first test.
const EDITS = {
  p: ([, path]) => (at(state.root, path)?.attribute >= 0 ? [pruned(state.root, state.stats, path), "Pruned"]
    : null),
  n: ([, path]) => {
    const more = rows && at(state.root, path)?.attribute < 0
      ? grown(state.root, state.stats, path, state.size)
      : null;
    return more ? [more.root, `Split as in the tree of ${more.leaves} leaves`] : null;
  },
  t: ([, path, attribute, value]) => {
    const here = at(state.root, path);
    if (!rows || !(here?.attribute < 0) || !column(attribute)) return null;
    const leaf = { attribute: -1, label: here.label },
      part = growing(state.root, state.stats, path, { attribute, value, yes: leaf, no: leaf }, true);
    return part.attribute >= 0 ? [replaced(state.root, path, part),
      `Split by ${nameOf(attribute)} ${testText(part)}`] : null;
  },
  f: ([, index]) => (firsts[index] ? [firsts[index].root, `Starts with ${nameOf(firsts[index].attribute)}`]
    : null),
};
const act = (edit, isReplayed = false) => { // whether the edit was possible
  const done = EDITS[edit[0]]?.(edit);
  if (!done) return false;
  state.edits.push(edit);
  state.roots.push([state.root, state.size]);
  if (!isReplayed) state.undone = [];
  [state.root] = done;
  if (edit[0] === "f") { markSize(data.chosen); foldAll(); }
  drawAll(edit[0] === "f");
  keepInAddress();
  say(`${done[1]}: ${leavesText(leavesOf(state.root).length)}, `
    + `${worthName} ${worthText(worthOf(state.root, state.stats))} on the training data`);
  return true;
};
const prune = (path) => act(["p", path]);
const grow = (path) => {
  if (act(["n", path])) return;
  const button = byId("grow");
  if (button) Object.assign(button, { disabled: true, textContent: "No larger tree splits these rows" });
  say("No larger tree of the front splits these rows");
};
const undo = () => {
  if (!state.edits.length) return;
  state.undone.push(state.edits.pop());
  const [root, size] = state.roots.pop();
  state.root = root;
  if (size !== state.size) markSize(size);
  drawAll();
  keepInAddress();
  say("Undone");
};
const redo = () => {
  if (state.undone.length) act(state.undone.pop(), true);
};
const toggle = (path) => {
  if (at(state.root, path).attribute < 0) return;
  if (state.collapsed.has(path)) unfold(path);
  else state.collapsed.add(path);
  drawTree();
  drawNode();
};
const select = (path, focus = false) => {
  state.selected = path;
  drawTree();
  drawNode();
  canvas.see(state.places.get(path));
  if (focus) canvas.frame.querySelector(`.node[data-path="${path}"]`)?.focus({ preventScroll: true });
};

// --- mouse and keys in the tree ----------------------------------------------------------------------------
const neighbour = (path, step) => { // the next node on the same level
  const level = [...state.places.values()].filter((place) => place.path.length === path.length)
    .sort((a, b) => a.x - b.x);
  return level[level.findIndex((place) => place.path === path) + step]?.path;
};
const inTree = (event) => {
  const path = event.target.closest?.(".node")?.dataset.path ?? state.selected ?? "";
  const place = state.places.get(path);
  const go = (next) => { if (next !== null && next !== undefined) select(next, true); };
  const act = {
    ArrowDown: () => go(place.isLeaf ? null : path + sidesShown(place.node)[0]),
    ArrowUp: () => go(path ? path.slice(0, -1) : null),
    ArrowLeft: () => go(neighbour(path, -1)), ArrowRight: () => go(neighbour(path, 1)), Home: () => go(""),
    Enter: () => go(path), " ": () => { toggle(path); go(path); },
    Delete: () => { if (at(state.root, path).attribute >= 0) { prune(path); go(path); } },
    Insert: () => { if (rows && at(state.root, path).attribute < 0) { go(path); grow(path); go(path); } },
    "+": () => canvas.zoom(1.25), "=": () => canvas.zoom(1.25), "-": () => canvas.zoom(0.8),
    0: () => canvas.fit(),
  }[event.key];
  if (event.ctrlKey || event.metaKey || event.altKey || !act) return;
  event.preventDefault();
  act();
};
const listenToTree = () => {
  const frame = canvas.frame;
  let from = null, moved = false;
  const pointers = new Map();
  frame.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    from = [event.clientX, event.clientY];
    moved = false;
  });
  frame.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = [...pointers.values()], last = pointers.get(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (pointers.size === 2) { // two fingers zoom
      const apart = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]);
      canvas.zoom(apart([...pointers.values()]) / Math.max(1, apart(before)));
      moved = true;
      return;
    }
    if (Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4) {
      if (!moved) frame.setPointerCapture(event.pointerId);
      moved = true;
    }
    if (moved) canvas.pan(event.clientX - last[0], event.clientY - last[1]);
  });
  const release = (event) => pointers.delete(event.pointerId);
  frame.addEventListener("pointerup", release);
  frame.addEventListener("pointercancel", release);
  frame.addEventListener("click", (event) => {
    const toggled = event.target.closest(".toggle"), node = event.target.closest(".node");
    if (toggled && !moved) toggle(toggled.dataset.toggle);
    else if (node && !moved) select(node.dataset.path, true);
  });
  frame.addEventListener("dblclick", (event) => {
    const node = event.target.closest(".node");
    if (node) toggle(node.dataset.path);
  });
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the wheel alone scrolls the page
    event.preventDefault();
    const box = frame.getBoundingClientRect();
    canvas.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, canvas.x + (event.clientX - box.left) / canvas.scale,
      canvas.y + (event.clientY - box.top) / canvas.scale);
  }, { passive: false });
  frame.addEventListener("keydown", inTree);
};

// --- start -------------------------------------------------------------------------------------------------
(() => {
  if (!isNumber) {
    const shown = data.target.values.map((_, k) => k).filter((k) => data.target.counts[k])
      .sort((a, b) => (data.target.values.length > MOST_CLASSES
      ? data.target.counts[b] - data.target.counts[a]
      : a - b));
    byId("classes").replaceChildren(...shown.slice(0, MOST_CLASSES)
      .map((k) => html("span", { dir: "auto" }, swatch(colourOf(k)), data.target.values[k],
      html("span", { class: "dim" }, ` ${counted(data.target.counts[k])}`))));
    if (shown.length > MOST_CLASSES)
      byId("classes").append(html("span", { class: "dim" }, `and ${shown.length - MOST_CLASSES} others`));
  } else {
    const steps = [0, 0.25, 0.5, 0.75, 1].map((v) => lowest + v * (highest - lowest));
    byId("classes").replaceChildren(
      ...steps.map((mean) => html("span", {}, swatch(colourOfMean(mean)), rounded(mean, 3))));
  }
  const slider = byId("size");
  slider.max = trees.length - 1;
  slider.disabled = trees.length < 2;
  slider.addEventListener("input", () => setSize(Number(slider.value)));
  byId("front-card").hidden = trees.length < 2;
  const KEYS = { ArrowRight: () => setSize(state.size + 1, true),
    ArrowLeft: () => setSize(state.size - 1, true) };
  // unless text is typed, or another element uses the arrow keys
  document.addEventListener("keydown", (event) => {
    const isCtrl = event.ctrlKey || event.metaKey,
      others = `input, select, textarea${isCtrl ? "" : ", [tabindex], button, summary"}`;
    const act = isCtrl ? { z: event.shiftKey ? redo : undo, y: redo }[event.key.toLowerCase()]
      : KEYS[event.key];
    if (!act || event.altKey || event.target.closest(others)) return;
    event.preventDefault();
    act();
  });
  for (const button of document.querySelectorAll("[data-save]"))
    button.addEventListener("click", () => DOWNLOADS[button.dataset.save]());
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(data.command);
      say("Copied");
    } catch { getSelection().selectAllChildren(byId("command")); }
  };
  const clear = () => {
    Object.assign(state, { typed: new Map(), row: null, highlighted: null });
    drawWhatIf();
    showPath();
  };
  const zooms = { "zoom-in": () => canvas.zoom(1.25), "zoom-out": () => canvas.zoom(0.8),
    "zoom-fit": () => canvas.fit() };
  const clicks = { ...zooms, undo, redo, reset: () => setSize(state.size, true), copy, clear };
  for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener("click", act);
  const pick = byId("row-number");
  if (pick) pick.addEventListener("change", () => {
    const i = rows.numbers.indexOf(Number(pick.value));
    if (i >= 0) { pickRow(i); return; }
    Object.assign(state, { typed: new Map(), row: null, highlighted: null });
    drawTree();
    const why = rows.n < data.n_rows ? `, which has ${counted(rows.n)} of ${counted(data.n_rows)} rows`
      : `: its rows are ${counted(rows.numbers[0])} to ${counted(rows.numbers[rows.n - 1])}`;
    byId("verdict")
      .replaceChildren(html("p", { class: "warning", id: "unknown-row" },
      `Row ${pick.value || "?"} is not on this page${why}.`));
    say(byId("unknown-row").textContent);
  });
  listenToTree();
  drawFigureChoice(() => markSize(state.size));
  fromAddress();
  drawInsight();
  new ResizeObserver(() => { drawFront(state.size); canvas.apply(); }).observe(byId("front"));
  for (const [event, isPrinted] of [["beforeprint", true], ["afterprint", false]])
    addEventListener(event, () => {
    canvas.isPrinted = isPrinted;
    drawTree();
  });
})();
