// The panel of the selected node: its rule, its rows by class, where missing values go, and edits.
const MOST_ROWS = 10, MOST_COLUMNS = 8;
const ruleInWords = (steps) => {
  if (!steps.length) return html("p", {}, "All rows.");
  return html("ul", { class: "rule" },
    conditionsOf(steps).map((condition) =>
    html("li", {}, html("b", { dir: "auto" }, condition[0].name), ` ${conditionWords(condition)}`)));
};
const isShrunk = (node, here) => isNumber && node.attribute < 0
  && Math.abs(node.label - here.mean) > 1e-6 * (Math.abs(here.mean) + data.target.sd);
const countsTable = (here, node) => {
  const all = state.stats.get("");
  if (isNumber) {
    const lift = here.mean - all.mean;
    return facts([["rows", counted(here.n)],
      ...(isShrunk(node, here) ? [["predicted, shrunk towards the nodes above", grouped(node.label)]] : []),
      ["mean", grouped(here.mean)], ["standard deviation", rounded(here.sd, 4)],
      ["difference from the overall mean", `${lift > 0 ? "+" : ""}${grouped(Number(lift.toPrecision(4)))}`]]);
  }
  const ranked = here.counts.map((count, label) => ({ count, label })).filter(({ count }) => count)
    .sort((a, b) => b.count - a.count);
  const lines = ranked.slice(0, 12).map(({ count, label }) => {
    const share = count / here.n, before = all.counts[label] / all.n;
    return tr(rowHead(swatch(colourOf(label)), data.target.values[label]), td(counted(count)),
      td(percent(share)), html("td", { title: `${percent(before)} of all rows` },
      `${(share / before).toFixed(2)} ×`));
  });
  const table = tableOf(["Class", "Rows", "Share", "Lift"], lines);
  if (ranked.length > 12)
    table.append(html("caption", { class: "hint" }, `the 12 most frequent of ${ranked.length} classes`));
  return table;
};
const rowsTable = (indices, extra = []) => { // rows of the data, tested columns first
  const tested = testedHere(state.root);
  const columns = [...tested, ...rows.shown.filter((index) => !tested.includes(index))].slice(0,
    MOST_COLUMNS);
  const cell = (index, i) => {
    const value = rows.columns[index][i];
    return html("td", { dir: "auto", class: value === null ? "dim"
      : isNominal(data.attributes[index]) ? "text" : null }, valueText(data.attributes[index], value));
  };
  const heads = ["Row", data.target.name, ...extra.map(({ name }) => name), ...columns.map(nameOf)];
  const lines = indices.map((i, place) => tr(
    rowHead(buttonOf({ class: "link", title: "Show the path of this row", onclick: () => pickRow(i) },
      String(rows.numbers[i]))),
    html("td", { dir: "auto", class: isNumber ? null : "text" }, labelText(rows.target[i])),
    extra.map(({ at }) => html("td", { dir: "auto" }, at(i, place))),
    columns.map((index) => cell(index, i))));
  return html("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Rows" },
    tableOf(heads, lines, "plain rows"));
};
const missingWords = (node, here) => {
  if (node.attribute < 0) return null;
  const name = attributeOf(node).name;
  const n = rows ? here.rows.filter((i) => column(node.attribute)[i] === null).length : null;
  const where = `Rows with a missing or unknown value of ${name} go to the `
    + `${isSwapped(node) ? "left" : "right"}: “${branchText(node, false)}”.`;
  return note(where, n ? ` This node has ${n} of them.` : n === 0 ? " This node has none." : "");
};
// A list of tests for a leaf, each with its gain: the share of the leaf's impurity, or squared error, that it
// removes.
const ownTests = (path, indices) => {
  const body = html("div", {}), fill = () => {
    if (body.children.length) return;
    const lines = testsFor(indices).slice(0, 20).map(({ attribute, value, gain }) => {
      const node = { attribute, value }, input = isNominal(data.attributes[attribute])
        || data.attributes[attribute].date ? null
        : html("input", { type: "number", step: "any", value,
        "aria-label": `Threshold of ${nameOf(attribute)}` });
      const split = () => {
        if (!act(["t", path, attribute, input ? Number(input.value) : value]))
          say("This test does not split the rows of this page");
      };
      return tr(rowHead(nameOf(attribute)),
        html("td", { class: "text" }, input ? ["≤ ", input] : testText(node)), td(percent(gain)),
        td(buttonOf({ class: "own-test", onclick: split }, "Split")));
    });
    body.append(lines.length ? html("div", { class: "scroll" },
      tableOf(["Column", "Test", "Gain", ""], lines)) : html("p", {}, "No test splits these rows."));
  };
  const details = html("details", { id: "own-tests" }, html("summary", {}, "Split with a test of your own"),
    note(`Gain: the share of the ${isNumber ? "squared error" : "impurity"} of this leaf that the best `
    + `test of each column removes${isSampled ? ", on the rows of this page" : ""}.`), body);
  details.addEventListener("toggle", fill);
  return details;
};
const drawNode = () => {
  const panel = byId("node"), path = state.selected;
  if (path === null) {
    panel.replaceChildren(html("h3", {}, "A node"), note("Click a node, or move through the tree with "
      + "the arrow keys, to see its rule and its rows and to edit it."));
    return;
  }
  const node = at(state.root, path), here = state.stats.get(path), steps = stepsTo(state.root, path),
    isLeaf = node.attribute < 0;
  const title = isLeaf ? `Leaf: ${data.target.name} is ${labelShown(node.label)}`
    : `Test: ${attributeOf(node).name} ${testText(node)}`;
  const button = (id, words, hint, act, disabled = false) =>
    buttonOf({ id, title: hint, onclick: act, disabled }, words);
  const edits = html("p", { class: "buttons" });
  if (!isLeaf) {
    edits.append(button("prune", "Prune here", "Make this node a leaf (Delete)", () => prune(path)));
    edits.append(button("collapse", state.collapsed.has(path) ? "Expand"
      : "Collapse", "Hide or show the branches below (Space)", () => toggle(path)));
  } else if (rows && state.size < trees.length - 1)
    edits.append(button("grow", "Split as in the next tree", "Split the rows of this leaf as the next "
    + "larger tree of the front does (Insert)", () => grow(path)));
  else if (!rows) edits.append(html("span", { class: "hint" }, "Splitting a leaf needs the rows, and "
    + "this page was made without them."));
  panel.replaceChildren(
    html("h3", { dir: "auto" }, title), edits, html("h4", {}, "Rule"), ruleInWords(steps),
    html("details", {}, html("summary", {}, "As SQL"),
      html("pre", { id: "node-sql" }, `WHERE ${whereSql(steps)}`)),
    html("h4", {}, isNumber ? "Numbers" : "Classes"), countsTable(here, node), missingWords(node, here) ?? "",
  );
  if (isLeaf && rows && here.rows.length > 1) panel.append(ownTests(path, here.rows));
  if (rows && here.rows.length)
    panel.append(html("details", { open: true },
    html("summary", {}, here.n > MOST_ROWS
    ? `The first ${Math.min(MOST_ROWS, here.rows.length)} of ${plural(here.n, "row")}`
    : plural(here.n, "row")), rowsTable(here.rows.slice(0, MOST_ROWS))));
};

// --- what if: the path of one row, picked or entered -------------------------------------------------------
const inputFor = (index) => {
  const attribute = data.attributes[index], value = state.typed.get(index) ?? null;
  const change = (parse) => (event) => {
    state.typed.set(index, parse(event.target.value));
    state.row = null;
    showPath();
  };
  if (isNominal(attribute)) {
    const select = html("select", { onchange: change((text) => (text === "" ? null : Number(text))) },
      html("option", { value: "" }, "missing"));
    attribute.values.slice(0, 1000)
      .forEach((category, code) =>
      select.append(html("option", { value: code, selected: code === value }, category)));
    return select;
  }
  if (attribute.date) {
    const day = isWholeDays(attribute);
    const shown = value === null ? "" : new Date(value).toISOString().slice(0, day ? 10 : 19);
    return html("input", { type: day ? "date" : "datetime-local", step: day ? null : "1", value: shown,
      onchange: change((text) => (text === "" ? null : Date.parse(day ? text : `${text}Z`))) });
  }
  return html("input", { type: "number", step: "any", value: value ?? "", placeholder: "missing",
    oninput: change((text) => (text === "" ? null : Number(text))) });
};
const drawWhatIf = () => {
  const form = byId("what-if-form");
  form.replaceChildren(...testedHere(state.root)
    .map((index) => html("label", {}, html("span", { dir: "auto" }, nameOf(index)), inputFor(index))));
  if (!form.children.length)
    form.append(note("This tree is a single leaf: it predicts the same for every row."));
  const pick = byId("row-number");
  if (pick) pick.value = state.row === null ? "" : rows.numbers[state.row];
};
const pickRow = (i) => {
  state.row = i;
  state.typed = new Map(rows.shown.map((index) => [index, rows.columns[index][i]]));
  drawWhatIf();
  showPath();
  byId("what-if").scrollIntoView({ block: "nearest" });
};
const showPath = () => {
  const isAsked = state.typed.size > 0;
  state.highlighted = isAsked ? pathOf(state.root, (index) => state.typed.get(index) ?? null) : null;
  [...state.highlighted ?? ""].forEach((_, depth) => unfold(state.highlighted.slice(0, depth)));
  drawTree();
  const verdict = byId("verdict");
  if (!isAsked) { verdict.replaceChildren(); return; }
  const leaf = at(state.root, state.highlighted), here = state.stats.get(state.highlighted);
  const steps = stepsTo(state.root, state.highlighted).map(([node, passed]) => {
    const value = state.typed.get(node.attribute) ?? null;
    return html("li", {}, html("b", { dir: "auto" }, attributeOf(node).name),
      ` is ${valueText(attributeOf(node), value)}: ${branchText(node, passed)}`);
  });
  const actual = state.row === null ? "" : ` (actual: ${labelText(rows.target[state.row])})`;
  const flips = flipsOf(state.root, (index) => state.typed.get(index) ?? null)
    .map(({ label, words }) => html("li", {}, html("b", { dir: "auto" }, labelShown(label)), `: ${words}`));
  const others = flips.length ? [note("The smallest changes that lead to another prediction: as few "
    + "columns as possible, then as few standard deviations:"),
    html("ul", { id: "flips", class: "rule" }, flips.slice(0, 5))] : [];
  verdict.replaceChildren(html("ol", { class: "rule" }, steps),
    html("p", { id: "answer" }, "so ",
    html("b", { dir: "auto" }, `${data.target.name} is ${labelShown(leaf.label)}`),
    `, as for ${leafWords(leaf, here)} of the training data here${actual}`), ...others);
  say(byId("answer").textContent);
};
