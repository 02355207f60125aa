// The front: accuracy against leaves, on the training data and in cross-validation, with baselines.
const validatedAt = (index) => data.judged[index]?.worth ?? null;
// The figure that is drawn: the measure, or a figure of the probabilities that trees give held-out rows.
const FIGURES = { log_loss: "log loss", roc_auc: "area under the ROC curve" };
const known = Object.keys(FIGURES).filter((key) => (data.judged[0]?.[key] ?? null) !== null);
const figure = { shown: known.includes(data.scoring) ? data.scoring : "worth" };
const isScored = () => figure.shown !== "worth";
const scoreText = (index) => (isScored()
  ? `, ${FIGURES[figure.shown]} ${data.judged[index][figure.shown].toFixed(4)}`
  : "");
const drawFigureChoice = (redraw) => {
  const choice = byId("figure");
  if (!known.length) return;
  choice.append(html("option", { value: "worth" }, worthName));
  for (const key of known) choice.append(html("option", { value: key }, FIGURES[key]));
  choice.value = figure.shown;
  choice.parentElement.hidden = false;
  choice.onchange = () => {
    figure.shown = choice.value;
    redraw();
  };
};
const niceStep = (span, n) => {
  const rough = span / n, power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * 0.999);
};
const ticksBetween = (low, high, n) => {
  const step = niceStep(high - low || 1, n), ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) ticks.push(k * step);
  return ticks;
};
const MARKS = { CART: "cart", J48: "j48" }; // other methods that are drawn as a mark
const drawFront = (current) => {
  const frame = byId("front"), wide = Math.max(280, frame.clientWidth || 640), high = 250;
  const left = 48, right = 14, top = 14, scored = isScored(), smaller = scored ? []
    : data.smaller, bottom = smaller.length ? 54 : 40;
  const sizes = data.sizes.map((size) => size.leaves);
  const others = scored ? [] : data.rivals.filter((rival) => rival.worth !== undefined && !rival.is_ours);
  const trained = scored ? [] : data.sizes.map((size) => size.train);
  const judged = data.judged.map((one) => (scored ? { worth: one[figure.shown], error: 0 } : one));
  const worths = [...trained, ...judged.map((one) => one.worth), ...others.map((rival) => rival.worth)];
  const best = !scored ? data.best
    : judged.findIndex(({ worth }) =>
    worth === Math[figure.shown === "log_loss" ? "min" : "max"](...judged.map((one) => one.worth)));
  const mostLeaves = Math.max(2, ...sizes);
  let low = Math.max(isNumber ? -0.2 : 0, Math.min(...worths)), top_ = Math.max(...worths);
  if (!scored) top_ = Math.min(1, top_);
  const room = Math.max(0.01, (top_ - low) * 0.08);
  low -= room;
  top_ = scored ? top_ + room : Math.min(1.005, top_ + room);
  const figureText = (worth) => (scored ? worth.toFixed(4) : worthText(worth));
  const x = (leaves) =>
    left + (Math.log(Math.min(Math.max(1, leaves), mostLeaves * 1.05)) / Math.log(mostLeaves * 1.05)) * (
    wide - left - right);
  const y = (worth) => high - bottom - ((Math.max(worth, low) - low) / (top_ - low)) * (high - top - bottom);
  const title = scored ? `${FIGURES[figure.shown]} of held-out rows against size `
    + `(${figure.shown === "log_loss" ? "lower" : "higher"} is better)` : `${worthName} against size`;
  byId("front-title").textContent = `The front: ${title}`;
  byId("front-legend").hidden = scored;
  frame.replaceChildren();
  frame.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  for (const tick of ticksBetween(low, top_, 5)) {
    frame.append(segment(left, y(tick), wide - right, y(tick), "gridline"));
    frame.append(textAt(left - 6, y(tick) + 4, isNumber || scored
      ? tick.toFixed(niceStep(top_ - low, 5) < 0.01 ? 3 : 2)
      : `${(100 * tick).toFixed(niceStep(top_ - low, 5) < 0.01 ? 1 : 0)} %`, "tick", "end"));
  }
  for (const tick of [1, 2, 3, 5, 8, 12, 20, 32, 50, 80, 128, 250, 500, 1000].filter((tick) =>
    tick <= mostLeaves * 1.05)) frame.append(textAt(x(tick), high - bottom + 15, String(tick)));
  frame.append(segment(left, high - bottom, wide - right, high - bottom, "axis"));
  frame.append(textAt((left + wide - right) / 2, high - 6, "leaves"));
  const chosen = x(sizes[data.chosen]);
  frame.append(segment(chosen, top, chosen, high - bottom, "chosen"));
  frame.append(textAt(chosen + (chosen > wide - 90 ? -5 : 5), high - bottom - 6, "chosen", "tick",
    chosen > wide - 90 ? "end" : "start"));
  const curve = (worths, cls) => svg("path",
    { d: pathThrough(worths.map((worth, i) => [x(sizes[i]), y(worth)])), class: `line ${cls}` });
  for (const rival of others) {
    if (!(rival.name in MARKS))
      frame.append(segment(left, y(rival.worth), wide - right, y(rival.worth), "line majority"));
  }
  const curveAt = (across) => { // its height between two sizes
    const i = sizes.findIndex((leaves) => x(leaves) >= across),
      [before, after] = [x(sizes[i - 1]), x(sizes[i])];
    return i < 1 ? 0 : y(validatedAt(i - 1))
      + ((across - before) / (after - before)) * (y(validatedAt(i)) - y(validatedAt(i - 1)));
  };
  const under = (from, to) => Math.max(curveAt(from), curveAt(to),
    ...judged.map(({ worth, error }, i) =>
    (x(sizes[i]) >= from && x(sizes[i]) <= to ? y(worth - error) : 0)));
  const label = (index, words, height) => { // to the right of a point, as far as there is room
    const long = words.length * 6, from = Math.min(x(sizes[index]) + 6, wide - long);
    frame.append(textAt(from, height(from, from + long), words, "tick", "start"));
  };
  if (trained.length) frame.append(curve(trained, "trained"));
  if (judged.length) {
    frame.append(curve(judged.map((one) => one.worth), "validated"));
    judged.forEach(({ worth, error }, i) => {
      if (!scored)
        frame.append(segment(x(sizes[i]), y(Math.min(top_, worth + error)), x(sizes[i]), y(worth - error),
        "error"));
      const words = `${leavesText(sizes[i])}: ${figureText(worth)}${scored ? "" : ` ± ${errorText(error)}`}`;
      const isLarge = i === best || (!scored && i === data.within);
      frame.append(svg("circle", { cx: x(sizes[i]), cy: y(worth), r: isLarge ? 5
        : 2.5, class: "dot validated" }, svg("title", {}, words)));
    });
    for (const [index, lost] of smaller) {
      const at = x(sizes[index]), height = y(judged[index].worth);
      frame.append(svg("circle", { cx: at, cy: height, r: 4.5, class: "dot validated" },
        svg("title", {}, `${leavesText(sizes[index])} lose ${lost}`)));
      frame.append(textAt(at, high - bottom + 30, lost === "nothing" ? "±0" : `−${parseFloat(lost)}`));
    }
    label(best, "best", () => y(judged[best].worth) - 10);
    if (!scored && data.within !== best)
      label(data.within, "within one standard error",
      (from, to) => Math.min(high - bottom - 18, under(from, to) + 15));
  }
  for (const size of data.sizes.filter((one) => one.proven && !scored)) {
    frame.append(
      svg("path", { d: "M-4,0L-1,3.5L5,-4", transform: `translate(${x(size.leaves)},${y(size.train) - 9})`,
      class: "proven" }, svg("title", {}, "proven: no tree of this size is better on the training data")));
  }
  for (const [worth, cls] of [[trained[current], "trained"], [judged[current]?.worth, "validated"]]) {
    if (worth !== undefined)
      frame.append(svg("circle", { cx: x(sizes[current]), cy: y(worth), r: 6, class: `current ${cls}` }));
  }
  for (const rival of others.filter(({ name }) => name in MARKS)) {
    frame.append(svg("path", { d: "M0,-6L6,0L0,6L-6,0z",
      transform: `translate(${x(rival.leaves)},${y(rival.worth)})`, class: `mark ${MARKS[rival.name]}` }));
  }
  frame.onclick = (event) => {
    const box = frame.getBoundingClientRect(), at = ((event.clientX - box.left) / box.width) * wide;
    const near = sizes.map((leaves) => Math.abs(x(leaves) - at));
    setSize(near.indexOf(Math.min(...near)), true);
  };
};
