(() => {
  // The plots: points of the experiment's grid, one panel per data set, drawn from the block of JSON.
  const form = document.getElementById("controls");
  if (!form) return;
  const data = JSON.parse(document.getElementById("points").textContent);
  const EVOLUTION = 0, COLOURS = 8, MOST_PANELS = 24, NEAR = 22;
  const WIDTH = 340, HEIGHT = 250, LEFT = 54, RIGHT = 14, TOP = 26, BOTTOM = 38;
  const all = data.size.map((_, i) => i);
  const say = (text) => { document.getElementById("said").textContent = text; };

  // --- what is shown, and the address that keeps it --------------------------------------------------
  const axes = data.axes.map((axis, i) => ({ ...axis, at: data.at[i] }));
  if (data.by_study) axes.push({ name: "study", label: "study", values: data.studies, at: data.study });
  const few = axes.find((axis) => axis.values.length <= COLOURS) || axes[0];
  const controls = [
    { name: "plot", label: "Plot", options: data.plots.map((p) => [p.name, p.title]) },
    { name: "dataset", label: "Data set", options: [["", "all"], ...data.datasets.map((d) => [d, d])] },
    ...axes.map((axis) =>
      ({ name: axis.name, label: axis.label, options: [["", "all"], ...axis.values.map((v) => [v, v])] })),
    { name: "colour", label: "Colour by", options: axes.map((axis) => [axis.name, axis.label]) },
    { name: "baselines", label: "Baselines", options: data.methods.length > 1
      ? [["", "shown"], ["no", "hidden"]]
      : [] },
  ].filter((control) => control.options.length > 1);
  const selects = new Map(controls.map((control) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    label.append(`${control.label} `, select);
    select.name = control.name;
    for (const [value, text] of control.options) select.append(new Option(text, value));
    form.append(label);
    return [control.name, select];
  }));
  const value = (name) => selects.get(name)?.value ?? "";
  const first = (name) => (name === "colour" ? few.name : selects.get(name).options[0].value);
  const readAddress = () => {
    if (!location.hash.startsWith("#view:")) return;
    const wanted = new URLSearchParams(location.hash.slice("#view:".length));
    for (const [name, select] of selects) {
      const known = [...select.options].some((option) => option.value === wanted.get(name));
      select.value = known ? wanted.get(name) : first(name);
    }
  };
  const writeAddress = () => {
    const chosen = new URLSearchParams();
    for (const [name, select] of selects) if (select.value !== first(name)) chosen.set(name, select.value);
    try {
      history.replaceState(null, "", `#view:${chosen}`);
    } catch { /* some browsers refuse it for a file */ }
  };

  const plot = () => data.plots.find((p) => p.name === (value("plot") || data.plots[0].name));
  const colouring = () => axes.find((axis) => axis.name === (value("colour") || few?.name));
  const isShown = (i, { name, kinds }) => {
    if (data[name][i] === null || !kinds.includes(data.kind[i])) return false;
    if (value("dataset") !== "" && data.datasets[data.dataset[i]] !== value("dataset")) return false;
    if (data.method[i] !== EVOLUTION) return value("baselines") !== "no";
    return axes.every((axis) => value(axis.name) === "" || axis.values[axis.at[i]] === value(axis.name));
  };

  // --- drawing ---------------------------------------------------------------------------------------
  const make = (tag, attributes = {}, text = "") => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, content] of Object.entries(attributes)) element.setAttribute(name, content);
    if (text) element.textContent = text;
    return element;
  };
  const SHAPES = [
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M0,-5L4.6,3.6H-4.6z", "M-3.7,-3.7H3.7V3.7H-3.7z",
    "M0,-5.2L5.2,0L0,5.2L-5.2,0z",
    "M0,5L4.6,-3.6H-4.6z", "M-1.6,-4.6H1.6V-1.6H4.6V1.6H1.6V4.6H-1.6V1.6H-4.6V-1.6H-1.6z",
  ];
  const STARS = ["M0,-7.5L2.2,-2.4L7.2,-2.3L3.4,1.2L4.6,6.2L0,3.5L-4.6,6.2L-3.4,1.2L-7.2,-2.3L-2.2,-2.4z",
    "M-5.5,-3.2L-3.2,-5.5L0,-2.3L3.2,-5.5L5.5,-3.2L2.3,0L5.5,3.2L3.2,5.5L0,2.3L-3.2,5.5L-5.5,3.2L-2.3,0z",
    "M0,-7L7,0L0,7L-7,0z", "M-5,-5H5V5H-5z"];
  const look = (i) => {
    if (data.method[i] !== EVOLUTION) return baselineLook(data.method[i]);
    return seriesLook(colouring() ? colouring().at[i] : 0);
  };
  const seriesLook = (index) => ({ class: "mark", style: `fill: var(--series-${index % COLOURS})`,
    d: SHAPES[(index + Math.floor(index / COLOURS)) % SHAPES.length] });
  const baselineLook = (method) =>
    ({ class: "mark baseline", style: `fill: var(--baseline-${(method - 1) % 2})`,
    d: STARS[(method - 1) % STARS.length] });

  const niceStep = (span, n) => {
    const rough = span / n, power = 10 ** Math.floor(Math.log10(rough));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  };
  const scale = (numbers, from, to, { low = null } = {}) => {
    let least = Math.min(...numbers), most = Math.max(...numbers);
    if (least > 0 && most / least > 30) { // over more than a decade and a half: by factors
      const a = Math.log10(least / 1.2), b = Math.log10(most * 1.2);
      const ticks = [];
      for (let power = Math.floor(a); power <= b; power++) for (const factor of [1, 2, 5])
        ticks.push(factor * 10 ** power);
      const inside = ticks.filter((t) => t >= 10 ** a && t <= 10 ** b);
      const shown = inside.length > 7 ? inside.filter((t) => Math.abs(Math.log10(t) % 1) < 1e-9) : inside;
      return { at: (v) => from + ((Math.log10(v) - a) / (b - a)) * (to - from), ticks: shown };
    }
    if (low !== null) least = Math.min(low, least);
    const room = (most - least) * 0.08 || Math.abs(most) * 0.1 || 1;
    most += room;
    if (low === null) least -= room;
    const step = niceStep(most - least, 5);
    const ticks = [];
    for (let k = Math.ceil(least / step); k * step <= most; k++) ticks.push(k * step);
    return { at: (v) => from + ((v - least) / (most - least)) * (to - from), ticks };
  };
  const written = (number) => Number(number.toPrecision(6)).toString();

  const frontOf = (points) => {
    const best = [];
    for (const point of [...points].sort((a, b) => data.size[a.i] - data.size[b.i] || b.value - a.value)) {
      if (!best.length || point.value > best.at(-1).value) best.push(point);
    }
    return best;
  };
  const panel = (name, indices, shownPlot) => {
    const numbers = data[shownPlot.name];
    const x = scale(indices.map((i) => data.size[i]), LEFT, WIDTH - RIGHT, { low: 0 });
    const y = scale(indices.map((i) => numbers[i]), HEIGHT - BOTTOM, TOP);
    const points = indices.map((i) => ({ i, value: numbers[i], x: x.at(data.size[i]), y: y.at(numbers[i]) }));
    const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", tabindex: "0", class: "panel",
      "aria-label": `${shownPlot.title}: ${name}, ${points.length} points. Arrow keys go from point to `
      + `point.` });
    svg.append(make("text", { x: 8, y: 16, class: "title" }, name.length > 40 ? `${name.slice(0, 39)}…`
      : name));
    for (const tick of y.ticks) {
      svg.append(make("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y.at(tick), y2: y.at(tick),
        class: "gridline" }));
      svg.append(make("text", { x: LEFT - 6, y: y.at(tick) + 4, class: "tick end" }, written(tick)));
    }
    for (const tick of x.ticks)
      svg.append(make("text", { x: x.at(tick), y: HEIGHT - BOTTOM + 15, class: "tick middle" },
      written(tick)));
    svg.append(make("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM,
      class: "axis" }));
    svg.append(make("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, class: "tick middle" },
      "size (nodes)"));
    const label = make("text", { transform: `translate(12 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)`,
      class: "tick middle" }, shownPlot.label);
    svg.append(label);
    if (shownPlot.front) {
      const steps = frontOf(points)
        .map((p, k) => (k ? `H${p.x.toFixed(1)}V${p.y.toFixed(1)}` : `M${p.x.toFixed(1)},${p.y.toFixed(1)}`));
      svg.append(make("path", { d: `${steps.join("")}H${WIDTH - RIGHT}`, class: "front" }));
    }
    const baselinesLast = [...points].sort((a, b) => data.method[a.i] - data.method[b.i]);
    for (const point of baselinesLast)
      svg.append(make("path", { ...look(point.i),
      transform: `translate(${point.x.toFixed(1)} ${point.y.toFixed(1)})` }));
    watch(svg, points);
    return svg;
  };

  // --- what a point is -------------------------------------------------------------------------------
  const tip = document.getElementById("tip");
  const about = (i) => {
    const lines = [data.datasets[data.dataset[i]]];
    if (data.method[i] === EVOLUTION) {
      for (const axis of axes) lines.push(`${axis.label}: ${axis.values[axis.at[i]]}`);
    } else lines.push(data.methods[data.method[i]]);
    const number = (name, label, decimals, more = "") => {
      if (data[name][i] !== null) lines.push(`${label}: ${data[name][i].toFixed(decimals)}${more}`);
    };
    number("accuracy", "accuracy", 4, data.error[i] === null ? ""
      : ` ± ${data.error[i].toFixed(4)} (standard error)`);
    number("train_accuracy", "training accuracy", 4);
    number("size", "nodes", 1);
    number("savings", "savings", 2, " %");
    number("seconds", "seconds", 4);
    number("speed_up", "speed-up", 2);
    number("r2", "R2", 4);
    number("rmse", "root mean square error", 4);
    number("mae", "mean absolute error", 4);
    lines.push(data.runs[i] === 1 ? "1 run" : `mean of ${data.runs[i]} runs`);
    return lines;
  };
  let revealed = null;
  const hide = () => {
    revealed = null;
    tip.hidden = true;
    for (const ring of document.querySelectorAll(".ring")) ring.remove();
  };
  const reveal = (svg, point) => {
    hide();
    revealed = [svg, point];
    svg.append(make("circle", { cx: point.x, cy: point.y, r: 9, class: "ring" }));
    tip.replaceChildren(...about(point.i).map((line, k) => {
      const row = document.createElement(k ? "div" : "b");
      row.textContent = line;
      return row;
    }));
    tip.hidden = false;
    const box = svg.getBoundingClientRect(), zoom = box.width / WIDTH;
    const left = box.left + point.x * zoom + 14, top = box.top + point.y * zoom + 10;
    tip.style.left =
      `${Math.max(4, Math.min(left, document.documentElement.clientWidth - tip.offsetWidth - 4))}px`;
    tip.style.top =
      `${Math.max(4, top + tip.offsetHeight > innerHeight ? top - tip.offsetHeight - 24 : top)}px`;
  };
  const watch = (svg, points) => {
    const inOrder = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
    let at = -1;
    const nearest = (event) => {
      const box = svg.getBoundingClientRect(), zoom = WIDTH / box.width;
      const x = (event.clientX - box.left) * zoom, y = (event.clientY - box.top) * zoom;
      const far = (p) => Math.hypot(p.x - x, p.y - y);
      const found = points.reduce((a, b) => (far(b) < far(a) ? b : a));
      return far(found) <= NEAR ? found : null;
    };
    const follow = (event) => {
      const point = nearest(event);
      if (point) reveal(svg, point); else hide();
    };
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("blur", hide);
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step) return;
      event.preventDefault();
      at = (at + step + inOrder.length) % inOrder.length;
      reveal(svg, inOrder[at]);
      say(about(inOrder[at].i).join(", "));
    });
  };

  // --- legend ----------------------------------------------------------------------------------------
  const entry = (attributes, text) => {
    const span = document.createElement("span");
    const svg = make("svg", { viewBox: "-9 -9 18 18", class: "key", "aria-hidden": "true" });
    svg.append(make("path", attributes));
    span.append(svg, text);
    return span;
  };
  const drawLegend = (shown, shownPlot) => {
    const entries = [], axis = colouring();
    const ours = shown.filter((i) => data.method[i] === EVOLUTION);
    if (axis) {
      const used = [...new Set(ours.map((i) => axis.at[i]))].sort((a, b) => a - b);
      for (const index of used) entries.push(entry(seriesLook(index), `${axis.label} ${axis.values[index]}`));
    }
    for (const method of new Set(shown.map((i) => data.method[i]))) if (method !== EVOLUTION)
      entries.push(entry(baselineLook(method), data.methods[method]));
    if (shownPlot.front) entries.push(entry({ class: "front", d: "M-9,5H0V-5H9" }, "the Pareto front"));
    document.getElementById("legend").replaceChildren(...entries);
  };

  const counted = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
  let shown = [];
  const draw = () => {
    hide();
    const shownPlot = plot();
    shown = all.filter((i) => isShown(i, shownPlot));
    const byDataset = new Map();
    for (const i of shown) byDataset.set(data.dataset[i], [...(byDataset.get(data.dataset[i]) || []), i]);
    const order = [...byDataset.keys()].sort((a, b) => a - b);
    const panels = order.slice(0, MOST_PANELS)
      .map((d) => panel(data.datasets[d], byDataset.get(d), shownPlot));
    document.getElementById("panels").replaceChildren(...panels);
    const left = order.length > MOST_PANELS
      ? ` Of ${order.length} data sets the first ${MOST_PANELS} are drawn; choose another above.`
      : "";
    document.getElementById("shown")
      .textContent = `${counted(shown.length, "point")} on ${counted(order.length, "data set")}.${left}`;
    drawLegend(shown, shownPlot);
    for (const id of ["save-csv", "save-svg"]) document.getElementById(id).disabled = !shown.length;
  };

  // --- downloads -------------------------------------------------------------------------------------
  const download = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const csv = () => {
    const own = axes.filter((axis) => axis.name !== "study");
    const ofNumbers = ["r2", "rmse", "mae"].filter((m) => data[m].some((value) => value !== null));
    const metrics = ["accuracy", "error", "train_accuracy", "size", "savings", "seconds", "speed_up",
      ...ofNumbers];
    const heading = ["study", "kind", "dataset", "method", ...own.map((axis) => axis.name), "runs",
      ...metrics.map((m) => (m === "error" ? "accuracy_standard_error" : m))];
    const quoted = (cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    const rows = shown.map((i) => [
      data.studies[data.study[i]], data.kinds[data.kind[i]], data.datasets[data.dataset[i]],
      data.methods[data.method[i]],
      ...own.map((axis) => (axis.at[i] < 0 ? "" : axis.values[axis.at[i]])), data.runs[i],
      ...metrics.map((m) => data[m][i] ?? ""),
    ]);
    return [heading, ...rows].map((row) => row.map((cell) => quoted(String(cell))).join(","))
      .join("\n") + "\n";
  };
  const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "font-family",
    "font-size", "font-weight", "text-anchor"];
  const withStyles = (original) => {
    const copy = original.cloneNode(true);
    const from = [original, ...original.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
    from.forEach((element, k) => {
      const style = getComputedStyle(element);
      for (const name of STYLED) to[k].setAttribute(name, style.getPropertyValue(name));
      for (const name of ["class", "style", "tabindex"]) to[k].removeAttribute(name);
    });
    return copy;
  };
  const drawing = () => {
    hide();
    const panels = [...document.querySelectorAll("#panels svg")],
      keys = [...document.querySelectorAll("#legend > span")];
    const columns = Math.min(3, panels.length), rows = Math.ceil(panels.length / columns);
    const legendHeight = 12 + 18 * keys.length;
    const height = rows * HEIGHT + legendHeight, width = columns * WIDTH;
    const svg =
      make("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` });
    svg.append(make("rect", { width, height, fill: getComputedStyle(panels[0]).backgroundColor }));
    panels.forEach((original, k) => {
      const copy = withStyles(original);
      for (const [name, content] of Object.entries(
        { x: (k % columns) * WIDTH, y: Math.floor(k / columns) * HEIGHT, width: WIDTH, height: HEIGHT }))
        copy.setAttribute(name, content);
      svg.append(copy);
    });
    keys.forEach((key, k) => {
      const copy = withStyles(key.querySelector("svg"));
      for (const [name, content] of Object.entries(
        { x: 8, y: rows * HEIGHT + 6 + 18 * k, width: 16, height: 16 })) copy.setAttribute(name, content);
      const text = make("text", { x: 30, y: rows * HEIGHT + 18 + 18 * k, "font-size": 12,
        "font-family": "sans-serif", fill: getComputedStyle(key).color }, key.textContent);
      svg.append(copy, text);
    });
    return new XMLSerializer().serializeToString(svg);
  };
  document.getElementById("save-csv")
    .addEventListener("click", () => download("gatree-points.csv", "text/csv", csv()));
  document.getElementById("save-svg")
    .addEventListener("click", () => download("gatree-plots.svg", "image/svg+xml", drawing()));

  // --- begin -----------------------------------------------------------------------------------------
  if (selects.has("colour")) selects.get("colour").value = few.name;
  readAddress();
  draw();
  form.addEventListener("change", () => {
    writeAddress();
    draw();
    say(document.getElementById("shown").textContent);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => { readAddress(); draw(); });
  addEventListener("scroll", () => { if (revealed) reveal(...revealed); }, { passive: true });
})();
