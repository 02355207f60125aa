// Draw a tree: the layout, boxes and charts of nodes, zoom and pan.
const SVG = "http://www.w3.org/2000/svg";
const svg = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
};
const html = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};
const card = (title, hint, ...content) => html("div", { class: "card" }, html("h3", {}, title), hint && html("p", { class: "hint" }, hint), ...content);
const byId = (id) => document.getElementById(id);
// Announce a change to screen readers; clear it later, so that it is not read at the end of the page.
const SAID_FOR = 5000;
let saidUntil = 0;
const say = (text) => {
  byId("said").textContent = text;
  clearTimeout(saidUntil);
  saidUntil = setTimeout(() => { byId("said").textContent = ""; }, SAID_FOR);
};

const WIDE = 172, TEST_HIGH = 118, LEAF_HIGH = 66, GAP = 18, DOWN = 48, INSIDE = 10, CHART = 40;
const colourOf = (index) => data.palette[index % data.palette.length];
// One scale from pale to strong for numbers; it spans the predictions of the trees.
const leafMeans = isNumber ? trees.flatMap((tree) => leavesOf(tree).map(({ node }) => node.label)) : [];
const lowest = Math.min(...leafMeans), highest = Math.max(...leafMeans);
const strength = (mean) => Math.min(1, Math.max(0, highest > lowest ? (mean - lowest) / (highest - lowest) : 0.5));
const [PALE, STRONG] = data.scale.map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
const colourOfMean = (mean) => `rgb(${PALE.map((pale, i) => Math.round(pale + (STRONG[i] - pale) * strength(mean))).join(",")})`;

const clipped = (text, pixels, perCharacter = 6.4) => {
  const characters = [...text], room = Math.max(1, Math.floor(pixels / perCharacter));
  return characters.length <= room ? text : `${characters.slice(0, room - 1).join("")}…`;
};

// Move the two branches of a test together until they touch on some level.
const placed = (root, collapsed) => { // Map: path -> {x, y, node, isLeaf}
  const places = new Map();
  const visit = (node, path) => {
    const isLeaf = node.attribute < 0 || collapsed.has(path);
    const place = { node, path, isLeaf, y: path.length * (TEST_HIGH + DOWN), high: isLeaf ? LEAF_HIGH : TEST_HIGH, aside: 0 };
    places.set(path, place);
    if (isLeaf) return { left: [0], right: [0] };
    const yes = visit(node.yes, `${path}y`), no = visit(node.no, `${path}n`);
    let apart = WIDE + GAP;
    for (let level = 0; level < Math.min(yes.right.length, no.left.length); level++) apart = Math.max(apart, yes.right[level] - no.left[level] + WIDE + GAP);
    const half = apart / 2;
    places.get(`${path}y`).aside = -half;
    places.get(`${path}n`).aside = half;
    const merged = (near, far, shift) => [0, ...near.map((x) => x + shift), ...far.slice(near.length).map((x) => x - shift)];
    return { left: merged(yes.left, no.left, -half), right: merged(no.right, yes.right, half) };
  };
  visit(root, "");
  for (const place of places.values()) place.x = (place.path ? places.get(place.path.slice(0, -1)).x : 0) + place.aside;
  return places;
};

const parted = (indices, x, bottom, width, scale) => { // one bar, with stacked classes or in the colour of the mean
  const here = statsOfRows(indices);
  if (isNumber && here.n) return [svg("rect", { x, y: bottom - here.n * scale, width, height: here.n * scale, fill: colourOfMean(here.mean) })];
  let y = bottom;
  return (here.counts ?? []).flatMap((count, label) => {
    if (!count) return [];
    y -= count * scale;
    return [svg("rect", { x, y, width, height: count * scale, fill: colourOf(label) })];
  });
};
const chart = (node, indices) => {
  const { bars, labels, cut, ends, missing } = histogram(node, indices), isMissing = missing.length > 0;
  const group = svg("g", { class: "chart" }), wide = WIDE - 2 * INSIDE;
  const tallest = Math.max(1, missing.length, ...bars.map((bar) => bar.length));
  const steps = bars.length + (isMissing ? 1.5 : 0), step = Math.min(wide / steps, wide / 3);
  const left = -(steps * step) / 2, bottom = 80, gap = Math.min(2, step * 0.1);
  bars.forEach((bar, i) => group.append(...parted(bar, left + i * step, bottom, step - gap, CHART / tallest)));
  group.append(...parted(missing, left + (bars.length + 0.5) * step, bottom, step - gap, CHART / tallest));
  group.append(svg("line", { x1: left, x2: left + steps * step, y1: bottom, y2: bottom, class: "base" }));
  const at = left + cut * step - gap / 2;
  group.append(svg("line", { x1: at, x2: at, y1: bottom - CHART - 3, y2: bottom + 4, class: "cut" }));
  const tick = (x, text, anchor = "middle") => group.append(svg("text", { x, y: bottom + 11, class: "tick", "text-anchor": anchor }, text));
  const last = left + bars.length * step, room = (last - left) / 2;
  labels?.forEach((label, i) => tick(left + (i + 0.5) * step, clipped(label, step, 5)));
  ends?.forEach((end, i) => tick(i ? last : left, clipped(end, room, 5), i ? "end" : "start"));
  if (isMissing) tick(last + step, step > 38 ? "missing" : "?");
  return group;
};
const shares = (here, y, high) => { // a horizontal bar of the classes, or a histogram of the numbers
  const group = svg("g", { class: "chart" }), wide = WIDE - 2 * INSIDE, left = -wide / 2;
  if (isNumber) {
    const bins = here.bins ?? [], tallest = Math.max(1, ...bins), step = wide / Math.max(1, bins.length);
    bins.forEach((count, i) => {
      const middle = (data.target.edges[i] + data.target.edges[i + 1]) / 2;
      if (count) group.append(svg("rect", { x: left + i * step, y: y + high - (high * count) / tallest, width: step * 0.9, height: (high * count) / tallest, fill: colourOfMean(middle) }));
    });
    group.append(svg("line", { x1: left, x2: -left, y1: y + high, y2: y + high, class: "base" }));
    return group;
  }
  let x = left;
  here.counts.forEach((count, label) => {
    if (!count) return;
    const width = (wide * count) / here.n;
    group.append(svg("rect", { x, y, width, height: high, fill: colourOf(label) }));
    x += width;
  });
  return group;
};

const leafWords = (node, here) => {
  if (!here.n) return "no rows";
  if (isNumber) return `${plural(here.n, "row")}, ± ${short(Number(here.sd.toPrecision(3)))}`;
  const right = here.counts[node.label];
  return right === here.n ? `all ${plural(here.n, "row")}` : `${right} of ${here.n} (${percent(right / here.n, 0)})`;
};
const nodeLabel = (place, here) => { // for screen readers
  const { node, path } = place;
  const above = path ? `${path.at(-1) === "y" ? "if so" : "if not"}: ` : "";
  if (place.isLeaf && node.attribute < 0) return `${above}leaf, ${data.target.name} is ${labelText(node.label)}, ${leafWords(node, here)}`;
  return `${above}test, ${attributeOf(node).name} ${branchText(node, true)}, ${plural(here.n, "row")}${place.isLeaf ? ", collapsed" : ""}`;
};
const box = (place, here, { selected, onPath, edited }) => {
  const { node, x, y, high, path, isLeaf } = place;
  const isTest = node.attribute >= 0;
  const group = svg("g", {
    class: ["node", isTest ? "test" : "leaf", selected ? "selected" : "", onPath ? "on-path" : "", edited ? "edited" : ""].join(" "),
    transform: `translate(${x},${y})`, "data-path": path, role: "treeitem", tabindex: selected || (path === "" && !selected) ? "0" : "-1",
    "aria-level": path.length + 1, "aria-selected": String(Boolean(selected)), "aria-label": nodeLabel(place, here),
    "aria-expanded": isTest ? String(!isLeaf) : null,
  });
  const style = isTest ? null : `--fill:${isNumber ? colourOfMean(node.label) : colourOf(node.label)}`;
  group.append(svg("rect", { x: -WIDE / 2, y: 0, width: WIDE, height: high, rx: 8, class: "box", style }));
  const line = (y, text, cls) => group.append(svg("text", { x: 0, y, class: cls, "text-anchor": "middle" }, text));
  if (!isTest) {
    line(19, clipped(labelShown(node.label), WIDE - 2 * INSIDE, 7.6), "label");
    line(34, leafWords(node, here), "small");
    group.append(shares(here, 42, 15));
    return group;
  }
  line(17, clipped(attributeOf(node).name, WIDE - 2 * INSIDE, 7.8), "label");
  if (isLeaf) {
    line(33, `${plural(leavesOf(node).length, "leaf", "leaves")} collapsed`, "small");
    group.append(shares(here, 42, 15));
  } else {
    line(32, clipped(branchText(node, true), WIDE - 2 * INSIDE, 6.6), "test-text");
    group.append(rows ? chart(node, here.rows) : shares(here, 50, 24));
    line(107, plural(here.n, "row"), "small");
  }
  const toggle = svg("g", { class: "toggle", transform: `translate(${WIDE / 2 - 12},${high - 12})`, "data-toggle": path });
  toggle.append(svg("circle", { r: 8 }), svg("path", { d: isLeaf ? "M-4,0H4M0,-4V4" : "M-4,0H4" }), svg("title", {}, isLeaf ? "Expand" : "Collapse"));
  group.append(toggle);
  return group;
};
const branch = (from, to, places, onPath, missing) => {
  const start = from.y + from.high, turn = start + 14, passed = to.path.at(-1) === "y";
  const group = svg("g", { class: `branch ${onPath ? "on-path" : ""}` });
  group.append(svg("path", { d: `M${from.x},${start}V${turn}H${to.x}V${to.y}`, class: "edge" }));
  const text = clipped(branchText(from.node, passed), 96) + (missing && !passed ? " or missing" : "");
  const width = Math.min(WIDE, [...text].length * 6 + 8);
  group.append(svg("rect", { x: to.x - width / 2, y: turn + 6, width, height: 16, class: "edge-back" }), svg("text", { x: to.x, y: turn + 18, class: "edge-text", "text-anchor": "middle" }, text));
  return group;
};
const hasMissing = (attribute) => Boolean(rows) && column(attribute).some((cell) => cell === null);
// Return the picture as a group, and its extent.
const drawnTree = (root, stats, view) => {
  const places = placed(root, view.collapsed);
  const group = svg("g", { role: "tree", "aria-label": `Decision tree of ${data.target.name}` });
  const isOn = (path) => view.highlighted !== null && view.highlighted.startsWith(path);
  for (const place of places.values()) {
    if (place.isLeaf) continue;
    const missing = hasMissing(place.node.attribute);
    for (const answer of "yn") group.append(branch(place, places.get(place.path + answer), places, isOn(place.path + answer), missing));
  }
  for (const place of places.values()) group.append(box(place, stats.get(place.path), { selected: view.selected === place.path, onPath: isOn(place.path) }));
  const all = [...places.values()];
  const extent = {
    left: Math.min(...all.map((p) => p.x)) - WIDE / 2 - 12, right: Math.max(...all.map((p) => p.x)) + WIDE / 2 + 12,
    top: -12, bottom: Math.max(...all.map((p) => p.y + p.high)) + 12,
  };
  return { group, extent, places };
};

// --- zoom and pan: the visible part of the picture ------------------------------------------------------------
const SMALLEST = 0.05, LARGEST = 3, READABLE = 0.6;
const canvas = {
  extent: null, x: 0, y: 0, scale: 1, isPrinted: false,
  get frame() { return byId("tree"); },
  size() { const { clientWidth, clientHeight } = this.frame; return [clientWidth || 800, clientHeight || 500]; },
  apply() {
    const [wide, high] = this.size(), { left, right, top, bottom } = this.extent;
    const seen = this.isPrinted ? [left, top, right - left, bottom - top] : [this.x, this.y, wide / this.scale, high / this.scale];
    this.frame.setAttribute("viewBox", seen.join(" "));
  },
  fit(extent = this.extent, least = SMALLEST) {
    this.extent = extent;
    const [wide, high] = this.size();
    this.scale = Math.max(least, Math.min(1.3, wide / (extent.right - extent.left), high / (extent.bottom - extent.top)));
    const isWide = (extent.right - extent.left) * this.scale > wide;
    this.x = (isWide ? 0 : (extent.left + extent.right) / 2) - wide / this.scale / 2;
    this.y = Math.min(extent.top, (extent.top + extent.bottom) / 2 - high / this.scale / 2);
    if ((extent.bottom - extent.top) * this.scale <= high) this.y = extent.top;
    this.apply();
  },
  zoom(factor, x = this.x + this.size()[0] / this.scale / 2, y = this.y + this.size()[1] / this.scale / 2) {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    this.x = x - ((x - this.x) * this.scale) / scale;
    this.y = y - ((y - this.y) * this.scale) / scale;
    this.scale = scale;
    this.apply();
  },
  pan(x, y) { this.x -= x / this.scale; this.y -= y / this.scale; this.apply(); },
  see(place) { // move as little as needed to make a node visible
    const [wide, high] = this.size().map((pixels) => pixels / this.scale);
    const into = (start, room, low, top) => (low < start ? low : top > start + room ? top - room : start);
    this.x = into(this.x, wide, place.x - WIDE / 2 - 10, place.x + WIDE / 2 + 10);
    this.y = into(this.y, high, place.y - 10, place.y + place.high + 10);
    this.apply();
  },
};
