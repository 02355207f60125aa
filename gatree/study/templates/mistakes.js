// The errors that trees of the selected size make on held-out rows.
const drawMistakes = () => {
  const section = byId("mistakes-body"), judged = data.judged[state.size];
  if (!judged) {
    section.replaceChildren(note("This page was made without a cross-validation."));
    return;
  }
  const leaves = leavesText(data.sizes[state.size].leaves);
  const counts = judged.n > data.n_rows
    ? ", each twice"
    : judged.n < data.n_rows ? `, ${counted(judged.n)} of ${counted(data.n_rows)}` : "";
  const meanings = isNumber
    ? ""
    : "Precision: the share of rows predicted as a class that belong to it. "
      + "Recall: the share of a class's rows that are predicted as it. ";
  const how = note(`Cross-validation (${data.folds_text}) of trees of at most ${leaves}: rows are `
    + `predicted by a tree that was found without them${counts}. ${meanings}Your edits do not change `
    + `these numbers.`);
  section.replaceChildren(how, ...(isNumber ? ofNumbers(judged) : ofClasses(judged)));
};
const table = (caption, heads, lines, cls = "plain") =>
  html("div", { class: "scroll card", role: "region", tabindex: "0", "aria-label": caption },
  html("h3", {}, caption), tableOf(heads, lines, cls));
const ofClasses = ({ confusion: written, calibration, worst }) => {
  const confusion = written.flatMap(([given, ...pairs]) =>
    [...countsIn(pairs)].map(([actual, count]) => [actual, given, count]));
  const occurring = [...new Set(confusion.flatMap(([actual, given]) => [actual, given]))];
  const byCount = [...occurring].sort((a, b) => data.target.counts[b] - data.target.counts[a]);
  const drawn = (occurring.length > MOST_CLASSES ? byCount.slice(0, MOST_CLASSES - 1) : occurring)
    .sort((a, b) => a - b);
  const place = new Map(drawn.map((label, at) => [label, at])), others = drawn.length;
  const n = drawn.length + (occurring.length > drawn.length), all = Array.from({ length: n }, (_, k) => k);
  const matrix = all.map(() => new Array(n).fill(0)), ofActual = new Array(n).fill(0),
    ofGiven = new Array(n).fill(0), right = new Array(n).fill(0);
  for (const [actual, given, count] of confusion) {
    const [row, column] = [place.get(actual) ?? others, place.get(given) ?? others];
    matrix[row][column] += count;
    ofActual[row] += count;
    ofGiven[column] += count;
    if (actual === given) right[row] += count;
  }
  const name = (k) => (k < others ? data.target.values[drawn[k]] : `${occurring.length - others} others`);
  const head = (k) => rowHead(k < others ? swatch(colourOf(drawn[k])) : "", name(k));
  const cell = (actual, given) => {
    const count = matrix[actual][given], heat = count / Math.max(1, ofActual[actual]);
    return html("td", {
      class: actual === given ? "right" : "wrong",
      style: count ? `--heat:${heat.toFixed(3)}` : null,
      title: `${name(actual)}, predicted ${name(given)}`,
    }, count ? counted(count) : "·");
  };
  const confusionTable = table("Confusion matrix",
    ["actual \\ predicted", ...all.map((k) => clipped(name(k), 90))],
    all.map((actual) => tr(head(actual), all.map((given) => cell(actual, given)))), n > 6 ? "heat tall"
      : "heat");
  const measures = all.map((k) => {
    const precision = ofGiven[k] ? right[k] / ofGiven[k] : null, recall = ofActual[k] ? right[k] / ofActual[k]
      : null;
    const f1 = precision !== null && recall !== null && precision + recall > 0
      ? (2 * precision * recall) / (precision + recall)
      : null;
    const written = (x) => td(x === null ? "–" : x.toFixed(4));
    return tr(head(k), td(counted(ofActual[k])), td(counted(ofGiven[k])), written(precision), written(recall),
      written(f1));
  });
  return [html("div", { class: "columns" }, confusionTable,
    table("By class", ["Class", "Rows", "Predicted", "Precision", "Recall", "F1"], measures)),
    html("div", { class: "columns" }, calibrationCard(calibration), mistakesCard(worst))];
};
const SHARES = [0, 0.25, 0.5, 0.75, 1].map((share) => [share, `${100 * share} %`]);
// a small chart with both axes from 0 to 1; ticks: [share, text] on both
const square = (label, across, ticks, draw) => {
  const left = 48, right = 306, top = 8, bottom = 206, x = (v) => left + v * (right - left),
    y = (v) => bottom - v * (bottom - top);
  const text = (x, y, words, anchor) => textAt(x, y, words, "tick", anchor);
  const grid = ticks.flatMap(([v, words]) =>
    [segment(left, y(v), right, y(v), "gridline"), text(left - 5, y(v) + 4, words, "end"),
    text(x(v), bottom + 14, words)]);
  const ideal = ticks.length ? segment(left, bottom, right, top, "ideal")
    : segment(left, bottom, right, bottom, "axis");
  return svg("svg", { viewBox: "0 0 330 240", class: "small-chart", role: "img", "aria-label": label },
    ...grid, text((left + right) / 2, 236, across), ideal, ...draw(x, y, text));
};
const calibrationCard = (calibration) => {
  const most = Math.max(...calibration.map((bin) => bin[2]));
  const chart = square("Calibration", "confidence of the leaf", SHARES,
    (x, y) => calibration.map(([confidence, right, n]) =>
    svg("circle", { cx: x(confidence), cy: y(right), r: 3 + 7 * Math.sqrt(n / most), class: "point" },
    svg("title", {}, `${plural(n, "row")}: confidence ${percent(confidence)}, right ${percent(right)}`))));
  return card("Calibration", "How often predictions of a given confidence are right. On the line, they "
    + "are right as often as their probability says. Larger points stand for more rows.", chart);
};
const mistakesCard = (worst) => {
  const list = () => rowsTable(worst.map(([i]) => i),
    [{ name: "predicted", at: (_, place) => data.target.values[worst[place][1]] },
    { name: "confidence", at: (_, place) => percent(worst[place][2], 0) }]);
  const without = () => note(`This page was made without rows. Confidence of the ${worst.length} worst: `
    + `${worst.map((one) => percent(one[2], 0)).join(", ")}.`);
  return card("The most confident mistakes", "Wrong predictions with the highest confidence.",
    !worst.length ? html("p", {}, "There are no mistakes.") : rows ? list() : without());
};
const ofNumbers = ({ rmse, mae, points, worst }) => {
  const all = points.flat(), low = Math.min(...all), high = Math.max(...all), span = high - low || 1;
  const ticks = ticksBetween(low, high, 4).map((tick) => [(tick - low) / span, rounded(tick, 4)]);
  const chart = square("Predicted and actual numbers", "predicted (vertical: actual)", ticks,
    (x, y) => points.map(([actual, given]) =>
    svg("circle", { cx: x((given - low) / span), cy: y((actual - low) / span), r: 2.5,
    class: "point tiny" })));
  const residuals = points.map(([actual, given]) => actual - given),
    most = Math.max(...residuals.map(Math.abs)) || 1, BINS = 21;
  const bins = new Array(BINS).fill(0);
  for (const r of residuals) bins[Math.min(BINS - 1, Math.floor(((r + most) / (2 * most)) * BINS))]++;
  const tallest = Math.max(...bins);
  const histogramChart = square("Residuals", "actual − predicted", [], (x, y, text) => [
    ...bins.map((count, i) => svg("rect",
      { x: x(i / BINS), width: (x(1) - x(0)) / BINS - 1, y: y(count / tallest),
      height: y(0) - y(count / tallest), class: "bar" })),
    ...[-1, 0, 1].map((v) => text(x((v + 1) / 2), y(0) + 14, rounded(v * most, 3), v === 1 ? "end"
      : "middle")),
  ]);
  const figures =
    facts([["root mean squared error", rmse], ["mean absolute error", mae],
    ["standard deviation of the target", data.target.sd]].map(([name, value]) =>
    [name, grouped(Number(value.toPrecision(5)))]), "facts card");
  const list = rows ? rowsTable(worst.map(([i]) => i),
    [{ name: "predicted", at: (_, place) => short(worst[place][1]) },
    { name: "residual", at: (_, place) => rounded(worst[place][2], 5) }])
    : note("This page was made without rows.");
  return [figures, html("div", { class: "columns" }, card("Actual and predicted", null, chart),
    card("Residuals", null, histogramChart)), card("The largest residuals", null, list)];
};
