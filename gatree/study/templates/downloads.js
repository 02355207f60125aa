// What can be downloaded: the picture as SVG and PNG, rules and code, the rows with predictions.
const fileName = (ending) => `${(data.name || "tree").replace(/[^\p{L}\p{N}_-]+/gu, "-").slice(0, 60)}`
  + `-${leavesOf(state.root).length}-leaves${isEdited() ? "-edited" : ""}${ending}`;
const save = (content, ending, type) => {
  const link = html("a", { download: fileName(ending),
    href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
const picture = () => { // the whole tree with its legend, in the light theme, self-contained
  const { group, extent } = drawnTree(state.root, state.stats, { ...unfolded(), selected: null });
  const classes = isNumber ? [] : data.target.values.map((_, k) => k)
    .filter((k) => state.stats.get("").counts[k]);
  const wide = Math.max(extent.right - extent.left, 320), perLine = Math.max(1, Math.floor(wide / 170)),
    lines = Math.ceil(classes.length / perLine);
  const top = extent.top - 34 - lines * 18, high = extent.bottom - top;
  const left = (extent.left + extent.right - wide) / 2;
  const whole =
    svg("svg", { xmlns: SVG, viewBox: `${left} ${top} ${wide} ${high}`, width: wide, height: high });
  whole.append(
    svg("style", {},
    `svg{--page:#fff;--card:#fff;--text:#1c2430;--dim:#5a6675;--line:#d9dee5;--accent:#0b63a5;`
    + `font-family:system-ui,sans-serif}${byId("tree-style").textContent}`));
  whole.append(svg("rect", { x: left, y: top, width: wide, height: high, fill: "#fff" }),
    svg("text", { x: left + 12, y: top + 20, class: "label" }, data.target.name));
  classes.forEach((k, i) => {
    const x = left + 12 + (i % perLine) * 170, y = top + 38 + Math.floor(i / perLine) * 18;
    whole.append(svg("rect", { x, y: y - 9, width: 10, height: 10, rx: 2, fill: colourOf(k) }),
      svg("text", { x: x + 15, y, class: "small" }, clipped(data.target.values[k], 140)));
  });
  whole.append(group);
  return { text: new XMLSerializer().serializeToString(whole), wide, high };
};
const savePng = () => {
  const { text, wide, high } = picture();
  const scale = Math.min(2, 16000 / Math.max(wide, high)), image = new Image();
  image.onload = () => {
    const sheet = html("canvas", { width: Math.round(wide * scale), height: Math.round(high * scale) });
    sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
    sheet.toBlob((blob) => save(blob, ".png", "image/png"));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
};
const toCsv = () => {
  const quoted = (value) => { // an apostrophe keeps spreadsheets from reading text as a formula
    const text = String(value ?? "");
    const safe = /^[=+@\t\r-]/.test(text) && !/^[-+]?[\d.]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const cell = (index, i) => (rows.columns[index][i] === null ? ""
    : isNominal(data.attributes[index]) || data.attributes[index].date
    ? valueText(data.attributes[index], rows.columns[index][i])
    : rows.columns[index][i]);
  const lines = [["row", ...rows.others.map(({ name }) => name), ...rows.shown.map((index) => nameOf(index)),
    data.target.name, "predicted"]];
  for (let i = 0; i < rows.n; i++) {
    const leaf = at(state.root, pathOf(state.root, (index) => rows.columns[index][i]));
    lines.push([rows.numbers[i], ...rows.others.map(({ cells }) => cells[i]),
      ...rows.shown.map((index) => cell(index, i)), isNumber ? rows.target[i]
      : data.target.values[rows.target[i]], labelText(leaf.label)]);
  }
  return `${lines.map((line) => line.map(quoted).join(",")).join("\r\n")}\r\n`;
};
const DOWNLOADS = {
  svg: () => save(picture().text, ".svg", "image/svg+xml"),
  png: savePng,
  rules: () => save(toRules(state.root, state.stats), ".txt", "text/plain"),
  sql: () => save(toSql(state.root), ".sql", "text/plain"),
  python: () => save(toPython(state.root), ".py", "text/plain"),
  json: () => save(toJson(state.root, state.stats), ".json", "application/json"),
  csv: () => save(toCsv(), ".csv", "text/csv"),
};
