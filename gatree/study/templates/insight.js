// What the next question is: importance of columns, stability, ROC and gains, other first tests, two trees
// side by side.
const bars = (items, text) => { // horizontal bars: {name, value, spread}
  const most = Math.max(1e-12, ...items.map(({ value, spread }) => value + (spread ?? 0))), high = 22,
    left = 150, wide = 420;
  const x = (v) => left + (Math.max(0, v) / most) * (wide - left - 90);
  const chart = svg("svg", { viewBox: `0 0 ${wide} ${items.length * high + 4}`, class: "small-chart bars",
    role: "img", "aria-label": items.map(({ name, value }) => `${name}: ${text(value)}`).join("; ") });
  items.forEach(({ name, value, spread, isTested }, i) => {
    const y = i * high + 4;
    chart.append(svg("text", { x: left - 6, y: y + 12, "text-anchor": "end",
      style: isTested ? "font-weight:bold" : null }, clipped(name, left - 12)));
    chart.append(svg("rect", { x: left, y, width: Math.max(1, x(value) - left), height: high - 8,
      class: "bar" }));
    if (spread) chart.append(segment(x(value - spread), y + 7, x(value + spread), y + 7, "axis"));
    chart.append(svg("text", { x: x(value + (spread ?? 0)) + 5, y: y + 12 }, text(value)));
  });
  return chart;
};
const MOST_IMPORTANCES = 15;
const importanceCard = ({ importance }) => { // the most important columns, and all that the tree above tests
  const tested = testedHere(state.root), measured = new Set(importance.map(([index]) => index));
  const all = [...importance, ...tested.filter((index) => !measured.has(index))
    .map((index) => [index, 0, 0])];
  const shown = all.filter(([index], i) => i < MOST_IMPORTANCES || tested.includes(index));
  const items = shown.map(([index, value, spread]) =>
    ({ name: nameOf(index), value, spread, isTested: tested.includes(index) }));
  const hint = `How much ${worthName} is lost on held-out rows if the values of a column are shuffled, `
    + `with the spread over the folds: nothing if no tree of the folds tests it. The tree above tests `
    + `the columns in bold.`;
  return html("div", { id: "importance", class: "card" }, html("h3", {}, "What the predictions depend on"),
    note(hint), items.length ? bars(items, (v) => worthText(v)) : html("p", {}, "The trees test no column."));
};
const drawImportance = () => byId("importance")?.replaceWith(importanceCard(data.procedure));
const stabilityCard = ({ leaves, first }) => {
  const sizes = [...new Set(leaves)].sort((a, b) => a - b)
    .map((size) => ({ name: leavesText(size), value: leaves.filter((one) => one === size).length }));
  const times = (n) => `${n} of ${leaves.length}`;
  return card("How stable is the search?",
    `The search was repeated on ${plural(leaves.length, "part")} of the rows. The first test, and the `
    + `chosen size, were:`,
    html("h4", {}, "Column of the first test"),
      bars(first.slice(0, 8).map(([name, value]) => ({ name, value })), times), html("h4", {}, "Size"),
      bars(sizes.slice(0, 12), times));
};
// [positives, negatives] by score, the highest first: cumulative shares, and the area under the ROC curve.
const rocOf = (levels) => {
  const all = [0, 1].map((side) => levels.reduce((sum, level) => sum + level[side], 0));
  const points = [[0, 0, 0]];
  let area = 0, positive = 0, negative = 0;
  for (const [more, others] of levels) {
    area += (others / (all[1] || 1)) * ((positive + more / 2) / (all[0] || 1));
    positive += more;
    negative += others;
    points.push([negative / (all[1] || 1), positive / (all[0] || 1),
      (positive + negative) / (all[0] + all[1])]);
  }
  return { points, area, share: all[0] / (all[0] + all[1]) };
};
const unitChart = (label, across, points) =>
  square(label, across, SHARES, (x, y) =>
  [svg("path", { d: pathThrough(points.map(([a, b]) => [x(a), y(b)])), class: "line validated" })]);
const rocCards = ({ roc }) => {
  if (!roc) return [];
  const { points, area, share } = rocOf(roc), name = data.target.values[1];
  const liftAt = (part) => { // between two points the rows of one leaf are in no order
    const at = points.findIndex((point) => point[2] >= part), [low, high] = [points[at - 1], points[at]];
    return (low[1] + ((part - low[2]) / (high[2] - low[2])) * (high[1] - low[1])) / part;
  };
  const lifts = [0.1, 0.2, 0.3, 0.5].map((part) =>
    tr(rowHead(percent(part, 0)), td(percent(liftAt(part) * part, 1)), td(`${liftAt(part).toFixed(2)} ×`)));
  return [
    card("ROC", `Held-out rows ranked by the probability of ${name} at their leaf. Area under the curve `
      + `(AUC): ${area.toFixed(4)}.`,
      unitChart("ROC", "other rows taken (vertical: rows of the class found)", points)),
    card("Gains and lift", `Of all rows, ${percent(share)} are ${name}. Taking the highest ranked rows `
      + `first finds:`, unitChart("Gains", "all rows taken (vertical: rows of the class found)",
      points.map(([, found, taken]) => [taken, found])),
      tableOf(["Rows taken", `${name} found`, "Lift"], lifts)),
  ];
};
const firsts = (data.firsts ?? [])
  .map(({ attribute, worth, tree }) => ({ attribute, worth, root: built(tree) }));
const differenceText = (difference) => `${difference > 0 ? "+" : ""}`
  + `${isNumber ? difference.toFixed(4) : `${(100 * difference).toFixed(2)} points`}`;
const firstsCard = () => {
  if (!firsts.length) return null;
  const chosen = data.sizes[data.chosen],
    test = (root) => (root.attribute < 0 ? "a single leaf" : `${attributeOf(root).name} ${testText(root)}`);
  const lines = firsts.map(({ root, worth }, i) =>
    tr(rowHead(test(root)), td(worthText(worth)), td(differenceText(worth - chosen.train)),
    td(buttonOf({ class: "first", onclick: () => { act(["f", i]); byId("tree-section").scrollIntoView(); } },
      "Show"))));
  const equal = firsts.filter(({ worth }) => worth >= chosen.train).map(({ attribute }) => nameOf(attribute));
  const isNoWorse = equal.length ? ` Starting with ${equal.join(" or ")} is no worse there.` : "";
  return card("Starting with another question",
    `The best tree found of at most ${leavesText(chosen.leaves)} that tests another column first, `
    + `compared with the chosen tree on the training data.${isNoWorse}`,
    html("div", { class: "scroll" },
      tableOf(["First test", `${worthName}, training data`, "Difference", ""], lines, "plain", "firsts")));
};
// --- two trees side by side --------------------------------------------------------------------------------
const sideBySide = () => {
  if (trees.length < 2) return null;
  const stages = [0, 1].map(() => svg("svg", { class: "side", role: "img" }));
  const choices = [["here", "The tree above"],
    ...data.sizes.map((size, i) =>
    [String(i), `${leavesText(size.leaves)}${i === data.chosen ? " (chosen)" : ""}`])];
  const show = (stage, value) => {
    const root = value === "here" ? state.root : trees[Number(value)], stats = measured(root);
    const { group, extent } = drawnTree(root, stats,
      { collapsed: foldedFor(root), selected: null, highlighted: null });
    for (const node of group.querySelectorAll("[tabindex]")) node.removeAttribute("tabindex");
    stage.replaceChildren(group);
    stage.setAttribute("viewBox",
      `${extent.left} ${extent.top} ${extent.right - extent.left} ${extent.bottom - extent.top}`);
    stage.setAttribute("aria-label", `A tree of ${leavesText(leavesOf(root).length)}, `
      + `${worthName} ${worthText(worthOf(root, stats))} on the training data`);
    stage.nextSibling.textContent = stage.getAttribute("aria-label");
  };
  const sides = stages.map((stage, i) => {
    const pick =
      html("select", { "aria-label": i ? "Right tree" : "Left tree", onchange: () =>
      show(stage, pick.value) }, choices.map(([value, words]) => html("option", { value }, words)));
    pick.value = i ? String(data.chosen) : "here";
    return [pick, html("div", { class: "card" }, pick, stage, note())];
  });
  const body = html("div", { class: "columns", id: "side-by-side" }, sides.map(([, side]) => side));
  const details = html("details", { class: "card" }, html("summary", {}, "Two trees side by side"), body);
  details.addEventListener("toggle", () => {
    if (details.open) stages.forEach((stage, i) => show(stage, sides[i][0].value));
  });
  return details;
};
const drawInsight = () => {
  const { procedure } = data, body = byId("insight-body");
  const whose = () => note(`The whole procedure, not the tree above: trees of `
    + `${Math.min(...procedure.leaves)} to ${Math.max(...procedure.leaves)} leaves, which were chosen `
      + `and found without the rows on which they are tried.`);
  body.replaceChildren(...(procedure
    ? [whose(), html("div", { class: "columns" }, importanceCard(procedure), stabilityCard(procedure),
    ...rocCards(procedure))]
    : [note("This page was made without a cross-validation.")]),
    ...[firstsCard(), sideBySide()].filter(Boolean));
};
