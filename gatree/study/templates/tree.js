// Trees as immutable nested nodes: build them, route rows, prune and grow.
// A node is {attribute, value, yes, no, label}; a leaf's attribute is -1. A node's path lists the answers
// from the root: "yyn".
// pairs of a class and its count
const countsIn = (written) =>
  new Map(written.flatMap((label, i) => (i % 2 ? [] : [[label, written[i + 1]]])));
const countsOf = (written) => { // of classes at leaves only
  if (!written || isNumber) return written;
  const pairs = countsIn(written);
  return data.target.values.map((_, label) => pairs.get(label) ?? 0);
};
const built = (flat) => {
  let next = 0;
  const build = () => {
    const at = next++;
    const node = { attribute: flat.attribute[at], value: flat.value[at], counts: countsOf(flat.counts?.[at]),
      mean: flat.mean?.[at] };
    if (node.attribute < 0) return { ...node, label: node.value };
    node.yes = build();
    node.no = build();
    node.label = isNumber ? flat.mean[at] : null;
    if (node.counts && !isNumber)
      node.counts = node.yes.counts.map((count, label) => count + node.no.counts[label]);
    return node;
  };
  return build();
};
const trees = data.trees.map(built);
const rows = data.rows;
const column = (attribute) => rows.columns[attribute];
const passes = (node, value) => value !== null && value !== undefined
  && (isNominal(attributeOf(node)) ? value === node.value : value <= node.value);

const nodesOf = (node) => (node.attribute < 0 ? [node] : [node, ...nodesOf(node.yes), ...nodesOf(node.no)]);
const testedHere = (root) =>
  [...new Set(nodesOf(root).map((node) => node.attribute).filter((index) => index >= 0))];
const leavesOf = (node, path = "", steps = []) => (node.attribute < 0
  ? [{ node, path, steps }]
  : [...leavesOf(node.yes, `${path}y`, [...steps, [node, true]]),
    ...leavesOf(node.no, `${path}n`, [...steps, [node, false]])]);
// undefined below a leaf
const at = (root, path) => [...path].reduce((node, answer) => (answer === "y" ? node?.yes : node?.no), root);
const stepsTo = (root, path) => [...path].map((answer, i) => [at(root, path.slice(0, i)), answer === "y"]);
const replaced = (root, path, node) => {
  if (path === "") return node;
  const side = path[0] === "y" ? "yes" : "no";
  return { ...root, [side]: replaced(root[side], path.slice(1), node) };
};
const pathOf = (root, valueAt) => { // the path of one row, given as a function from attributes to values
  let node = root, path = "";
  while (node.attribute >= 0) {
    const passed = passes(node, valueAt(node.attribute));
    path += passed ? "y" : "n";
    node = passed ? node.yes : node.no;
  }
  return path;
};

// --- statistics of the rows at every node ------------------------------------------------------------------
// The class that costs least, given the rows by class; without weights and costs the most frequent one.
const cheapest = (counts) => {
  const gained = data.gains ? counts.map((_, label) =>
    counts.reduce((sum, count, k) => sum + count * data.gains[k][label], 0)) : counts;
  return gained.indexOf(gained.reduce((a, b) => Math.max(a, b), -Infinity));
};
const sum = (numbers) => numbers.reduce((all, x) => all + x, 0);
const statsOfRows = (indices) => {
  const n = indices.length;
  if (!isNumber) {
    const counts = new Array(data.target.values.length).fill(0);
    for (const i of indices) counts[rows.target[i]]++;
    return { n, rows: indices, counts };
  }
  const numbers = indices.map((i) => rows.target[i]), mean = sum(numbers) / (n || 1);
  return { n, rows: indices, mean, sd: Math.sqrt(sum(numbers.map((x) => (x - mean) ** 2)) / (n || 1)),
    get bins() {
    return binned(numbers);
  } };
};
const sidesOf = (node, indices) => { // the rows that pass a test, and the others
  const cells = column(node.attribute), sides = [[], []];
  for (const i of indices) sides[passes(node, cells[i]) ? 0 : 1].push(i);
  return sides;
};
const binned = (numbers) => {
  const { edges } = data.target, low = edges[0], high = edges.at(-1),
    bins = new Array(edges.length - 1).fill(0);
  for (const x of numbers)
    bins[Math.min(bins.length - 1, Math.max(0, Math.floor(((x - low) / (high - low || 1)) * bins.length)))]++;
  return bins;
};
const statsOfCounts = (counts) => (isNumber
  ? { n: counts[0], mean: counts[1], sd: counts[2], bins: counts.slice(3) }
  : { n: sum(counts), counts });
// The counts are of all rows wherever the page has them; a sample of rows serves drawings and tests added by
// hand.
const isSampled = Boolean(rows) && rows.n < data.n_rows;
const measured = (root) => { // Map: path -> {n, counts or mean, rows, ...}
  const stats = new Map();
  const visit = (node, path, indices) => {
    const here = node.counts ? { ...statsOfCounts(node.counts), rows: indices } : statsOfRows(indices);
    if (node.attribute < 0) here.right = isNumber ? 0 : here.counts[node.label];
    stats.set(path, here);
    if (node.attribute < 0) return;
    const [yes, no] = rows ? sidesOf(node, indices) : [null, null];
    visit(node.yes, `${path}y`, yes);
    visit(node.no, `${path}n`, no);
  };
  visit(root, "", rows ? Array.from({ length: rows.n }, (_, i) => i) : null);
  return stats;
};
// The measure of a tree on the counted rows.
const worthOf = (root, stats) => {
  const all = stats.get("");
  const leaves = leavesOf(root).map(({ node, path }) => [node, stats.get(path)]);
  if (!isNumber && data.gains) {
    const gained = leaves.reduce((sum, [node, here]) =>
      sum + here.counts.reduce((part, count, k) => part + count * data.gains[k][node.label], 0), 0);
    return gained / (all.counts.reduce((sum, count, k) => sum + count * Math.max(...data.gains[k]), 0) || 1);
  }
  if (!isNumber) return leaves.reduce((sum, [, here]) => sum + here.right, 0) / Math.max(1, all.n);
  const error = leaves.reduce((sum, [node, here]) =>
    sum + here.n * (here.sd ** 2 + (here.mean - node.label) ** 2), 0);
  return 1 - error / (all.n * all.sd ** 2 || 1);
};

// --- edits -------------------------------------------------------------------------------------------------
// What a node of numbers predicts is drawn towards its parent by the shrinkage of the trees.
const shrunk = (here, above, aboveLabel) =>
  (here.n === 0 ? aboveLabel : aboveLabel
  + (above.n / (above.n + data.shrinkage)) * (here.mean - above.mean));
const leafFor = (here, label, isCounted) => ({
  attribute: -1,
  counts: isCounted ? (isNumber ? [here.n, here.mean, here.sd, ...(here.bins ?? [])] : here.counts)
    : undefined,
  label,
});
const firstLabel = (node) => (node.attribute < 0 ? node.label : firstLabel(node.yes));
const labelFor = (here, otherwise) => (here.n === 0 ? otherwise : cheapest(here.counts));
const pruned = (root, stats, path) => {
  const node = at(root, path), here = stats.get(path);
  return replaced(root, path, leafFor(here, isNumber ? node.label : labelFor(here, firstLabel(node)),
    Boolean(node.counts)));
};

// The part of a larger tree that splits the rows of a leaf, without tests that do not separate them.
// label: what the rows are predicted without the part
const partOf = (node, indices, label, keepsEqual = false) => {
  const here = statsOfRows(indices);
  if (node.attribute < 0) return leafFor(here, isNumber ? label : labelFor(here, node.label));
  const [yes, no] = sidesOf(node, indices);
  if (!yes.length) return partOf(node.no, indices, label);
  if (!no.length) return partOf(node.yes, indices, label);
  const below = (child, side) => partOf(child, side, isNumber ? shrunk(statsOfRows(side), here, label)
    : null);
  const parts = [below(node.yes, yes), below(node.no, no)];
  if (!isNumber && !keepsEqual && parts.every((part) => part.attribute < 0)
    && parts[0].label === parts[1].label) return leafFor(here, parts[0].label);
  return { attribute: node.attribute, value: node.value, yes: parts[0], no: parts[1], label: isNumber ? label
    : null };
};
// A tree in place of a leaf; the leaf's rows on this page fill it.
const growing = (root, stats, path, tree, keepsEqual = false) =>
  partOf(tree, stats.get(path).rows, at(root, path).label, keepsEqual);
const grown = (root, stats, path, size) => { // null if no larger tree of the front splits these rows
  const indices = stats.get(path).rows;
  if (!indices?.length) return null;
  for (let larger = size + 1; larger < trees.length; larger++) {
    const part = growing(root, stats, path, trees[larger]);
    if (part.attribute >= 0) return { root: replaced(root, path, part), leaves: data.sizes[larger].leaves };
  }
  return null;
};

// --- tests that a person may add to a leaf: the best one of every column on the page, with its gain --------
const impurity = (indices) => { // squared errors, or rows minus the Gini purity
  const here = statsOfRows(indices);
  return isNumber ? here.n * here.sd ** 2
    : here.n - sum(here.counts.map((count) => count * count)) / (here.n || 1);
};
const MOST_TRIED = 64; // thresholds of a column
const testsFor = (indices) => {
  const before = impurity(indices), found = [];
  for (const attribute of rows.shown) {
    const cells = column(attribute), nominal = isNominal(data.attributes[attribute]);
    const values = [...new Set(indices.map((i) => cells[i]).filter((value) => value !== null))].sort((a, b) =>
      a - b);
    const step = Math.max(1, Math.ceil(values.length / MOST_TRIED));
    const candidates = nominal ? values : values.slice(0, -1)
      .map((value, k) => betweenOf(value, values[k + 1])).filter((_, k) => k % step === 0);
    let best = null;
    for (const value of candidates.slice(0, 1000)) {
      const sides = sidesOf({ attribute, value }, indices), gain = before - sum(sides.map(impurity));
      if (sides.every((side) => side.length) && (!best || gain > best.gain))
        best = { attribute, value, gain: gain / (before || 1) };
    }
    if (best) found.push(best);
  }
  return found.sort((a, b) => b.gain - a.gain);
};
const betweenOf = (low, high) => { // the number of fewest digits between two values
  const middle = low + (high - low) / 2;
  for (let digits = 1; digits < 17; digits++) {
    const short = Number(middle.toPrecision(digits));
    if (short >= low && short < high) return short;
  }
  return low;
};

// --- the values of the tested attribute at a test, as bars -------------------------------------------------
const MOST_BINS = 18, MOST_CATEGORIES = 5;
// {bars, labels, cut, ends, missing}: lists of rows; `cut` bars pass the test
const histogram = (node, indices) => {
  const cells = column(node.attribute), attribute = attributeOf(node);
  const known = indices.filter((i) => cells[i] !== null), missing = indices.filter((i) => cells[i] === null);
  const filled = (n, place) => {
    const bars = Array.from({ length: n }, () => []);
    for (const i of known) bars[place(cells[i])].push(i);
    return bars;
  };
  if (isNominal(attribute)) {
    const counts = new Map();
    for (const i of known) if (cells[i] !== node.value) counts.set(cells[i], (counts.get(cells[i]) ?? 0) + 1);
    const others = [...counts].sort((a, b) => b[1] - a[1]).map(([code]) => code);
    const listed = [node.value, ...(others.length > MOST_CATEGORIES ? others.slice(0, MOST_CATEGORIES - 1)
      : others)];
    if (isSwapped(node)) listed.reverse(); // of two values
    const labels = listed.map((code) => categoryOf(attribute, code)),
      n_more = others.length + 1 - listed.length;
    if (n_more) labels.push(`${n_more} more`);
    return { bars: filled(labels.length,
      (code) => (listed.includes(code) ? listed.indexOf(code) : listed.length)), labels, cut: 1, missing };
  }
  const distinct = [...new Set(known.map((i) => cells[i]))].sort((a, b) => a - b),
    few = distinct.length <= MOST_BINS;
  const low = distinct[0], high = distinct.at(-1), width = high / MOST_BINS - low / MOST_BINS || 1;
  const inside = (x) => Math.min(MOST_BINS, Math.max(0, x / width - low / width));
  const bars = few ? filled(Math.max(1, distinct.length), (x) => distinct.indexOf(x))
    : filled(MOST_BINS, (x) => Math.min(MOST_BINS - 1, Math.floor(inside(x))));
  const cut = few ? distinct.filter((x) => x <= node.value).length : inside(node.value);
  return { bars, cut, ends: known.length ? [valueText(attribute, low), valueText(attribute, high)]
    : null, missing };
};
