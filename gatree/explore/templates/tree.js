// Trees as immutable nested nodes: build them, route rows, prune and grow.
// A node is {attribute, value, yes, no, label}; a leaf's attribute is -1. A node's path lists the answers from the root: "yyn".
const countsOf = (written) => { // classes are written as pairs of a class and its count
  if (!written || isNumber) return written;
  const counts = new Array(data.target.values.length).fill(0);
  for (let i = 0; i < written.length; i += 2) counts[written[i]] = written[i + 1];
  return counts;
};
const built = (flat) => {
  let next = 0;
  const build = () => {
    const at = next++;
    const node = { attribute: flat.attribute[at], value: flat.value[at], counts: countsOf(flat.counts?.[at]), mean: flat.mean?.[at] };
    if (node.attribute < 0) return { ...node, label: node.value };
    node.yes = build();
    node.no = build();
    node.label = isNumber ? flat.mean[at] : null;
    return node;
  };
  return build();
};
const trees = data.trees.map(built);
const rows = data.rows;
const column = (attribute) => rows.columns[attribute];
const passes = (node, value) => value !== null && value !== undefined && (isNominal(attributeOf(node)) ? value === node.value : value <= node.value);

const nodesOf = (node) => (node.attribute < 0 ? [node] : [node, ...nodesOf(node.yes), ...nodesOf(node.no)]);
const leavesOf = (node, path = "", steps = []) => (node.attribute < 0
  ? [{ node, path, steps }]
  : [...leavesOf(node.yes, `${path}y`, [...steps, [node, true]]), ...leavesOf(node.no, `${path}n`, [...steps, [node, false]])]);
const at = (root, path) => [...path].reduce((node, answer) => (answer === "y" ? node.yes : node.no), root);
const stepsTo = (root, path) => [...path].map((answer, i) => [at(root, path.slice(0, i)), answer === "y"]);
const replaced = (root, path, node) => {
  if (path === "") return node;
  const side = path[0] === "y" ? "yes" : "no";
  return { ...root, counts: root.counts, [side]: replaced(root[side], path.slice(1), node) };
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

// --- statistics of the rows at every node -------------------------------------------------------------------
// The class that costs least, given the rows by class; without weights and costs the most frequent one.
const cheapest = (counts) => {
  const gained = data.gains ? counts.map((_, label) => counts.reduce((sum, count, k) => sum + count * data.gains[k][label], 0)) : counts;
  return gained.indexOf(gained.reduce((a, b) => Math.max(a, b), -Infinity));
};
const statsOfRows = (indices) => {
  const n = indices.length;
  if (!isNumber) {
    const counts = new Array(data.target.values.length).fill(0);
    for (const i of indices) counts[rows.target[i]]++;
    return { n, rows: indices, counts };
  }
  let sum = 0;
  for (const i of indices) sum += rows.target[i];
  const mean = n ? sum / n : 0;
  let squares = 0;
  for (const i of indices) squares += (rows.target[i] - mean) ** 2;
  return { n, rows: indices, mean, sd: n ? Math.sqrt(squares / n) : 0, bins: binned(indices.map((i) => rows.target[i])) };
};
const binned = (numbers) => {
  const { edges } = data.target, low = edges[0], high = edges.at(-1), bins = new Array(edges.length - 1).fill(0);
  for (const x of numbers) bins[Math.min(bins.length - 1, Math.max(0, Math.floor(((x - low) / (high - low || 1)) * bins.length)))]++;
  return bins;
};
const statsOfCounts = (counts) => (isNumber
  ? { n: counts[0], mean: counts[1], sd: counts[2], bins: counts.slice(3) }
  : { n: counts.reduce((a, b) => a + b, 0), counts });
// The counts are of all rows wherever the page has them; a sample of rows serves drawings and tests added by hand.
const isSampled = Boolean(rows) && rows.n < data.n_rows;
const measured = (root) => { // Map: path -> {n, counts or mean, rows, ...}
  const stats = new Map();
  const visit = (node, path, indices) => {
    const here = node.counts ? { ...statsOfCounts(node.counts), rows: indices } : statsOfRows(indices);
    if (node.attribute < 0) here.right = isNumber ? 0 : here.counts[node.label];
    stats.set(path, here);
    if (node.attribute < 0) return;
    const yes = [], no = [];
    if (rows) {
      const cells = column(node.attribute);
      for (const i of indices) (passes(node, cells[i]) ? yes : no).push(i);
    }
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
    const gained = leaves.reduce((sum, [node, here]) => sum + here.counts.reduce((part, count, k) => part + count * data.gains[k][node.label], 0), 0);
    return gained / (all.counts.reduce((sum, count, k) => sum + count * Math.max(...data.gains[k]), 0) || 1);
  }
  if (!isNumber) return leaves.reduce((sum, [, here]) => sum + here.right, 0) / Math.max(1, all.n);
  const error = leaves.reduce((sum, [node, here]) => sum + here.n * (here.sd ** 2 + (here.mean - node.label) ** 2), 0);
  return 1 - error / (all.n * all.sd ** 2 || 1);
};

// --- edits --------------------------------------------------------------------------------------------------
// What a node of numbers predicts is drawn towards its parent by the shrinkage of the trees.
const shrunk = (here, above, aboveLabel) => (here.n === 0 ? aboveLabel : aboveLabel + (above.n / (above.n + data.shrinkage)) * (here.mean - above.mean));
const leafFor = (here, label, isCounted) => ({
  attribute: -1,
  counts: isCounted ? (isNumber ? [here.n, here.mean, here.sd, ...(here.bins ?? [])] : here.counts) : undefined,
  label,
});
const firstLabel = (node) => (node.attribute < 0 ? node.label : firstLabel(node.yes));
const labelFor = (here, otherwise) => (here.n === 0 ? otherwise : cheapest(here.counts));
const pruned = (root, stats, path) => {
  const node = at(root, path), here = stats.get(path);
  return replaced(root, path, leafFor(here, isNumber ? node.label : labelFor(here, firstLabel(node)), Boolean(node.counts)));
};

// The part of a larger tree that splits the rows of a leaf, without tests that do not separate them.
const partOf = (node, indices, keepsEqual = false) => {
  const here = statsOfRows(indices);
  if (node.attribute < 0) return leafFor(here, isNumber ? null : labelFor(here, node.label));
  const cells = column(node.attribute);
  const yes = indices.filter((i) => passes(node, cells[i])), no = indices.filter((i) => !passes(node, cells[i]));
  if (!yes.length) return partOf(node.no, indices);
  if (!no.length) return partOf(node.yes, indices);
  const parts = [partOf(node.yes, yes), partOf(node.no, no)];
  if (!isNumber && !keepsEqual && parts.every((part) => part.attribute < 0) && parts[0].label === parts[1].label) return leafFor(here, parts[0].label);
  return { attribute: node.attribute, value: node.value, yes: parts[0], no: parts[1], label: null };
};
// A tree in place of a leaf; the leaf's rows on this page fill it.
const growing = (root, stats, path, tree, keepsEqual = false) => {
  const { rows: indices } = stats.get(path), part = partOf(tree, indices, keepsEqual);
  return isNumber ? relabelled(part, statsOfRows(indices), at(root, path).label, indices) : part;
};
const relabelled = (node, here, label, indices) => {
  if (node.attribute < 0) return { ...node, label };
  const cells = column(node.attribute);
  const sides = [indices.filter((i) => passes(node, cells[i])), indices.filter((i) => !passes(node, cells[i]))];
  const [yes, no] = sides.map((side, i) => {
    const below = statsOfRows(side);
    return relabelled(i ? node.no : node.yes, below, shrunk(below, here, label), side);
  });
  return { ...node, label, yes, no };
};
const grown = (root, stats, path, size) => { // null if no larger tree of the front splits these rows
  const indices = stats.get(path).rows;
  if (!indices?.length) return null;
  for (let larger = size + 1; larger < trees.length; larger++) {
    const part = growing(root, stats, path, trees[larger]);
    if (part.attribute >= 0) return { root: replaced(root, path, part), leaves: data.sizes[larger].leaves };
  }
  return null;
};

// --- tests that a person may add to a leaf: the best one of every column on the page, with its gain -----------
const impurity = (sums, n) => { // squared errors, or rows minus the Gini purity
  if (!n) return 0;
  return isNumber ? sums[1] - sums[0] ** 2 / n : n - sums.reduce((all, count) => all + count * count, 0) / n;
};
const MOST_TRIED = 64; // thresholds of a column
const testsFor = (indices) => {
  const empty = () => (isNumber ? [0, 0] : new Array(data.target.values.length).fill(0));
  const add = (sums, i, sign = 1) => {
    if (isNumber) { sums[0] += sign * (rows.target[i] - data.target.mean); sums[1] += sign * (rows.target[i] - data.target.mean) ** 2; }
    else sums[rows.target[i]] += sign;
  };
  const all = empty();
  for (const i of indices) add(all, i);
  const before = impurity(all, indices.length), found = [];
  for (const attribute of rows.shown) {
    const cells = column(attribute), nominal = isNominal(data.attributes[attribute]);
    const values = [...new Set(indices.map((i) => cells[i]).filter((value) => value !== null))].sort((a, b) => a - b);
    const step = Math.max(1, Math.ceil(values.length / MOST_TRIED));
    const candidates = nominal ? values : values.slice(0, -1).map((value, k) => betweenOf(value, values[k + 1])).filter((_, k) => k % step === 0);
    let best = null;
    for (const value of candidates.slice(0, 1000)) {
      const left = empty(), right = [...all];
      let n = 0;
      for (const i of indices) if (passes({ attribute, value }, cells[i])) { add(left, i); add(right, i, -1); n++; }
      const gain = before - impurity(left, n) - impurity(right, indices.length - n);
      if (n && n < indices.length && (!best || gain > best.gain)) best = { attribute, value, gain: gain / (before || 1) };
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

// --- the values of the tested attribute at a test, as bars ---------------------------------------------------
const MOST_BINS = 18, MOST_CATEGORIES = 5;
const emptyBar = () => ({ n: 0, parts: isNumber ? 0 : new Array(data.target.values.length).fill(0) });
const addTo = (bar, i) => {
  bar.n++;
  if (isNumber) bar.parts += rows.target[i];
  else bar.parts[rows.target[i]]++;
};
const histogram = (node, indices) => { // {bars, labels, cut, ends, missing}: `cut` bars pass the test
  const cells = column(node.attribute), attribute = attributeOf(node);
  const known = indices.filter((i) => cells[i] !== null), gone = indices.filter((i) => cells[i] === null);
  let found;
  if (isNominal(attribute)) {
    const counts = new Map();
    for (const i of known) if (cells[i] !== node.value) counts.set(cells[i], (counts.get(cells[i]) ?? 0) + 1);
    const others = [...counts].sort((a, b) => b[1] - a[1]).map(([code]) => code);
    const listed = others.length > MOST_CATEGORIES ? others.slice(0, MOST_CATEGORIES - 1) : others;
    const place = new Map([[node.value, 0], ...listed.map((code, i) => [code, i + 1])]);
    const bars = Array.from({ length: 1 + listed.length + (others.length > listed.length) }, emptyBar);
    for (const i of known) addTo(bars[place.get(cells[i]) ?? bars.length - 1], i);
    const labels = [node.value, ...listed].map((code) => categoryOf(attribute, code));
    if (others.length > listed.length) labels.push(`${others.length - listed.length} more`);
    found = { bars, labels, cut: 1 };
  } else {
    const numbers = known.map((i) => cells[i]);
    const low = numbers.reduce((a, b) => Math.min(a, b), Infinity), high = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
    const distinct = [...new Set(numbers)].sort((a, b) => a - b);
    const few = distinct.length <= MOST_BINS;
    const width = high / MOST_BINS - low / MOST_BINS || 1;
    const place = few ? (x) => distinct.indexOf(x) : (x) => Math.min(MOST_BINS - 1, Math.max(0, Math.floor(x / width - low / width)));
    const bars = Array.from({ length: few ? Math.max(1, distinct.length) : MOST_BINS }, emptyBar);
    for (const i of known) addTo(bars[place(cells[i])], i);
    const cut = few ? distinct.filter((x) => x <= node.value).length : Math.min(MOST_BINS, Math.max(0, node.value / width - low / width));
    found = { bars, cut, ends: numbers.length ? [valueText(attribute, low), valueText(attribute, high)] : null };
  }
  const missing = gone.length ? emptyBar() : null;
  for (const i of gone) addTo(missing, i);
  return { ...found, missing };
};
