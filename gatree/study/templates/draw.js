// Draw a tree: the layout, boxes and charts of nodes, zoom and pan.
const SVG = "http://www.w3.org/2000/svg";
const svg = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined)
    element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
};
const html = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};
const [td, tr, note, rowHead] = [["td"], ["tr"], ["p", { class: "hint" }],
  ["th", { scope: "row", dir: "auto" }]].map((tag) => (...content) => html(tag[0], tag[1], ...content));
const buttonOf = (attributes, words) => html("button", { type: "button", ...attributes }, words);
const tableOf = (heads, lines, cls = "plain", id = null) =>
  html("table", { class: cls, id },
  html("thead", {}, tr(heads.map((name) => html("th", { scope: "col", dir: "auto" }, name)))),
  html("tbody", {}, lines));
const facts = (pairs, cls = "facts") =>
  html("dl", { class: cls }, pairs.map(([name, value]) =>
  html("div", {}, html("dt", {}, name), html("dd", {}, value))));
const card = (title, hint, ...content) =>
  html("div", { class: "card" }, html("h3", {}, title), hint && note(hint), ...content);
// Parts of pictures.
const textAt = (x, y, text, cls = "tick", anchor = "middle") =>
  svg("text", { x, y, class: cls, "text-anchor": anchor }, text);
const segment = (x1, y1, x2, y2, cls) => svg("line", { x1, y1, x2, y2, class: cls });
const block = (x, y, width, height, fill) => svg("rect", { x, y, width, height, fill });
const swatch = (fill) => svg("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" },
  svg("rect", { width: 10, height: 10, rx: 2, fill }));
const pathThrough = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`)
  .join("");
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
const strength = (mean) => Math.min(1,
  Math.max(0, highest > lowest ? (mean - lowest) / (highest - lowest) : 0.5));
const [PALE, STRONG] = data.scale.map((colour) =>
  [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
const colourOfMean = (mean) =>
  `rgb(${PALE.map((pale, i) => Math.round(pale + (STRONG[i] - pale) * strength(mean))).join(",")})`;

const clipped = (text, pixels, perCharacter = 6.4) => {
  const characters = [...text], room = Math.max(1, Math.floor(pixels / perCharacter));
  return characters.length <= room ? text : `${characters.slice(0, room - 1).join("")}…`;
};

// Move the two branches of a test together until they touch on some level.
const placed = (root, collapsed) => { // Map: path -> {x, y, node, isLeaf}
  const places = new Map();
  const visit = (node, path, isFirst) => {
    const isLeaf = node.attribute < 0 || collapsed.has(path);
    const place = { node, path, isLeaf, isFirst, y: path.length * (TEST_HIGH + DOWN), high: isLeaf ? LEAF_HIGH
      : TEST_HIGH, aside: 0 };
    places.set(path, place);
    if (isLeaf) return { left: [0], right: [0] };
    const [near, far] = sidesShown(node),
      child = (answer) => visit(answer === "y" ? node.yes : node.no, path + answer, answer === near);
    const one = child(near), two = child(far);
    const overlaps = two.left.slice(0, one.right.length).map((x, level) => one.right[level] - x);
    const half = (WIDE + GAP + Math.max(0, ...overlaps)) / 2;
    places.get(path + near).aside = -half;
    places.get(path + far).aside = half;
    const merged = (near, far, shift) =>
      [0, ...near.map((x) => x + shift), ...far.slice(near.length).map((x) => x - shift)];
    return { left: merged(one.left, two.left, -half), right: merged(two.right, one.right, half) };
  };
  visit(root, "");
  for (const place of places.values())
    place.x = (place.path ? places.get(place.path.slice(0, -1)).x : 0) + place.aside;
  return places;
};

const extentOf = (places) => {
  const all = [...places.values()], across = all.map((place) => place.x);
  return { left: Math.min(...across) - WIDE / 2 - 12, right: Math.max(...across) + WIDE / 2 + 12, top: -12,
    bottom: Math.max(...all.map((place) => place.y + place.high)) + 12 };
};

// one bar, with stacked classes or in the colour of the mean
const parted = (indices, x, bottom, width, scale) => {
  const here = statsOfRows(indices);
  if (isNumber && here.n)
    return [block(x, bottom - here.n * scale, width, here.n * scale, colourOfMean(here.mean))];
  let y = bottom;
  return (here.counts ?? []).flatMap((count, label) => {
    if (!count) return [];
    y -= count * scale;
    return [block(x, y, width, count * scale, colourOf(label))];
  });
};
const chart = (node, indices) => {
  const { bars, labels, cut, ends, missing } = histogram(node, indices), isMissing = missing.length > 0;
  const group = svg("g", { class: "chart" }), wide = WIDE - 2 * INSIDE;
  const tallest = Math.max(1, missing.length, ...bars.map((bar) => bar.length));
  const steps = bars.length + (isMissing ? 1.5 : 0), step = Math.min(wide / steps, wide / 3);
  const left = -(steps * step) / 2, bottom = 80, gap = Math.min(2, step * 0.1);
  bars.forEach((bar, i) => group.append(
    ...parted(bar, left + i * step, bottom, step - gap, CHART / tallest)));
  group.append(...parted(missing, left + (bars.length + 0.5) * step, bottom, step - gap, CHART / tallest));
  group.append(segment(left, bottom, left + steps * step, bottom, "base"));
  const at = left + cut * step - gap / 2;
  group.append(segment(at, bottom - CHART - 3, at, bottom + 4, "cut"));
  const tick = (x, text, anchor) => group.append(textAt(x, bottom + 11, text, "tick", anchor));
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
      if (count)
        group.append(block(left + i * step, y + high - (high * count) / tallest, step * 0.9,
        (high * count) / tallest, colourOfMean(middle)));
    });
    group.append(segment(left, y + high, -left, y + high, "base"));
    return group;
  }
  let x = left;
  here.counts.forEach((count, label) => {
    if (!count) return;
    const width = (wide * count) / here.n;
    group.append(block(x, y, width, high, colourOf(label)));
    x += width;
  });
  return group;
};

const nodeLabel = (place, here) => { // for screen readers
  const { node, path } = place;
  const above = path ? `${place.isFirst ? "if so" : "if not"}: ` : "";
  if (place.isLeaf && node.attribute < 0)
    return `${above}leaf, ${data.target.name} is ${labelText(node.label)}, ${leafWords(node, here)}`;
  return `${above}test, ${attributeOf(node).name} ${testText(node)}, ${plural(here.n, "row")}`
    + (place.isLeaf ? ", collapsed" : "");
};
const box = (place, here, { selected, onPath }) => {
  const { node, x, y, high, path, isLeaf } = place;
  const isTest = node.attribute >= 0;
  const group = svg("g", {
    class: ["node", isTest ? "test" : "leaf", selected ? "selected" : "", onPath ? "on-path" : ""].join(" "),
    transform: `translate(${x},${y})`, "data-path": path, role: "treeitem", tabindex: selected || path === ""
      ? "0"
      : "-1",
    "aria-level": path.length + 1, "aria-selected": String(Boolean(selected)),
    "aria-label": nodeLabel(place, here),
    "aria-expanded": isTest ? String(!isLeaf) : null,
  });
  const style = isTest ? null : `--fill:${isNumber ? colourOfMean(node.label) : colourOf(node.label)}`;
  group.append(svg("rect", { x: -WIDE / 2, y: 0, width: WIDE, height: high, rx: 8, class: "box", style }));
  const line = (y, text, cls) => group.append(textAt(0, y, text, cls));
  if (!isTest) {
    line(19, clipped(labelShown(node.label), WIDE - 2 * INSIDE, 7.6), "label");
    line(34, leafWords(node, here), "small");
    group.append(shares(here, 42, 15));
    return group;
  }
  line(17, clipped(attributeOf(node).name, WIDE - 2 * INSIDE, 7.8), "label");
  if (isLeaf) {
    line(33, `${leavesText(leavesOf(node).length)} collapsed`, "small");
    group.append(shares(here, 42, 15));
  } else {
    line(32, clipped(testText(node), WIDE - 2 * INSIDE, 6.6), "test-text");
    group.append(rows ? chart(node, here.rows) : shares(here, 50, 24));
    line(107, plural(here.n, "row"), "small");
  }
  const toggle =
    svg("g", { class: "toggle", transform: `translate(${WIDE / 2 - 12},${high - 12})`, "data-toggle": path });
  toggle.append(svg("circle", { r: 8 }), svg("path", { d: isLeaf ? "M-4,0H4M0,-4V4" : "M-4,0H4" }),
    svg("title", {}, isLeaf ? "Expand" : "Collapse"));
  group.append(toggle);
  return group;
};
const branch = (from, to, onPath, missing) => {
  const start = from.y + from.high, turn = start + 14, passed = to.path.at(-1) === "y";
  const group = svg("g", { class: `branch ${onPath ? "on-path" : ""}` });
  group.append(svg("path", { d: `M${from.x},${start}V${turn}H${to.x}V${to.y}`, class: "edge" }));
  const text = clipped(branchText(from.node, passed), 96) + (missing && !passed ? " or missing" : "");
  const width = Math.min(WIDE, [...text].length * 6 + 8);
  group.append(svg("rect", { x: to.x - width / 2, y: turn + 6, width, height: 16, class: "edge-back" }),
    textAt(to.x, turn + 18, text, "edge-text"));
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
    for (const answer of sidesShown(place.node))
      group.append(branch(place, places.get(place.path + answer), isOn(place.path + answer), missing));
  }
  for (const place of places.values())
    group.append(box(place, stats.get(place.path),
    { selected: view.selected === place.path, onPath: isOn(place.path) }));
  return { group, extent: extentOf(places), places };
};

// --- zoom and pan: the visible part of the picture ---------------------------------------------------------
const SMALLEST = 0.05, LARGEST = 3, READABLE = 0.44;
const canvas = {
  extent: null, x: 0, y: 0, scale: 1, isPrinted: false,
  get frame() { return byId("tree"); },
  size() {
    const { clientWidth, clientHeight } = this.frame;
    return [clientWidth || 800, clientHeight || 500];
  },
  apply() {
    const [wide, high] = this.size(), { left, right, top, bottom } = this.extent;
    const seen = this.isPrinted ? [left, top, right - left, bottom - top]
      : [this.x, this.y, wide / this.scale, high / this.scale];
    this.frame.setAttribute("viewBox", seen.join(" "));
  },
  fit(extent = this.extent, least = SMALLEST) {
    this.extent = extent;
    const [wide, high] = this.size();
    this.scale = Math.max(least, Math.min(1.3, wide / (extent.right - extent.left),
      high / (extent.bottom - extent.top)));
    this.x = (extent.left + extent.right) / 2 - wide / this.scale / 2;
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
