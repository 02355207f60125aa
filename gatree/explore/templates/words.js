"use strict";
// Format numbers, dates and tests; export a tree as rules, SQL, Python and JSON. Nothing here touches the page.
const data = JSON.parse(document.getElementById("data").textContent);
const isNumber = !data.target.values; // numbers are predicted, not classes
const DAY = 86400000;

const attributeOf = (node) => data.attributes[node.attribute];
const isNominal = (attribute) => Boolean(attribute.values);
const categoryOf = (attribute, code) => attribute.values[code] ?? `value ${code + 1}`;
const isWholeDays = (attribute) => !/[HhKkmsSa]/.test(attribute.date.replace(/'[^']*'/g, ""));

const short = (x) => (Number.isInteger(x) && Math.abs(x) < 1e15 ? String(x) : String(Number(x.toPrecision(Math.abs(x) >= 1e4 ? 7 : 5))));
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const plural = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
const worthText = (worth) => (worth === null || worth === undefined ? "–" : isNumber ? worth.toFixed(3) : percent(worth));
const worthName = isNumber ? "R²" : "accuracy";

const dateText = (attribute, milliseconds) => {
  const day = isWholeDays(attribute);
  const date = new Date(day ? Math.floor(milliseconds / DAY) * DAY : milliseconds);
  if (Number.isNaN(date.getTime())) return short(milliseconds);
  const iso = date.toISOString();
  return day ? iso.slice(0, 10) : iso.slice(0, 19).replace("T", " ").replace(/:00$/, "");
};
const valueText = (attribute, value) => {
  if (value === null || value === undefined) return "missing";
  if (isNominal(attribute)) return categoryOf(attribute, value);
  return attribute.date ? dateText(attribute, value) : short(value);
};
const thresholdText = (node) => valueText(attributeOf(node), node.value);
const labelText = (label) => (isNumber ? short(label) : data.target.values[label]);
// The condition of a branch, without the attribute's name.
const branchText = (node, passed) => {
  const relation = isNominal(attributeOf(node)) ? (passed ? "=" : "≠") : passed ? "≤" : ">";
  return `${relation} ${thresholdText(node)}`;
};

// --- conditions: what must hold at a node, one condition per attribute --------------------------------------
const conditionsOf = (steps) => { // steps: [node, passed] from the root on
  const known = new Map();
  for (const [node, passed] of steps) {
    const facts = known.get(node.attribute) ?? { not: [] };
    if (isNominal(attributeOf(node))) {
      if (passed) facts.is = node.value;
      else facts.not.push(node.value);
    } else if (passed) facts.most = Math.min(facts.most ?? Infinity, node.value);
    else facts.above = Math.max(facts.above ?? -Infinity, node.value);
    known.set(node.attribute, facts);
  }
  return known;
};
const conditionWords = (attribute, facts) => {
  const text = (value) => valueText(attribute, value);
  if (facts.is !== undefined) return `is ${text(facts.is)}`;
  if (facts.not.length) return `is not ${facts.not.map(text).join(" or ")}`;
  if (facts.most === undefined) return `is above ${text(facts.above)}, or missing`;
  if (facts.above === undefined) return `is at most ${text(facts.most)}`;
  return `is above ${text(facts.above)} and at most ${text(facts.most)}`;
};

const sqlName = (name) => `"${name.replaceAll('"', '""')}"`;
const sqlText = (text) => `'${text.replaceAll("'", "''")}'`;
const pyText = (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).replace(/(\\ud[89ab][0-9a-f]{2})(\\ud[c-f][0-9a-f]{2})/g, (_, high, low) => {
  const point = ((parseInt(high.slice(2), 16) - 0xd800) << 10) + parseInt(low.slice(2), 16) - 0xdc00 + 0x10000;
  return `\\U${point.toString(16).padStart(8, "0")}`;
});
const floatText = (x) => (Number.isInteger(x) && Math.abs(x) < 1e16 ? `${x}.0` : String(x));
// Columns of whole days are compared as ISO dates, which works in every database; others as milliseconds.
const sqlThreshold = (attribute, value) => (attribute.date && isWholeDays(attribute) ? sqlText(dateText(attribute, value)) : floatText(value));
const spellings = (attribute, code) => {
  const category = categoryOf(attribute, code);
  return attribute.boolean ? [category.toLowerCase(), category === "True" ? "1" : "0", category === "True" ? "1.0" : "0.0"] : [category];
};
const sqlPasses = (node) => {
  const attribute = attributeOf(node), name = sqlName(attribute.name);
  if (attribute.boolean) return `LOWER(CAST(${name} AS VARCHAR(20))) IN (${spellings(attribute, node.value).map(sqlText).join(", ")})`;
  if (isNominal(attribute)) return `${name} = ${sqlText(categoryOf(attribute, node.value))}`;
  return `${name} <= ${sqlThreshold(attribute, node.value)}`;
};
const sqlWhere = (steps) => {
  const tests = steps.map(([node, passed]) => {
    const test = sqlPasses(node), name = sqlName(attributeOf(node).name);
    return passed ? test : `(${name} IS NULL OR NOT ${/ IN \(/.test(test) ? test : `(${test})`})`;
  });
  return tests.join("\n  AND ") || "1 = 1";
};
const sqlLabel = (label) => (isNumber ? floatText(label) : sqlText(labelText(label)));

// A row goes to the first leaf, from left to right, whose passed tests all hold.
const decisionList = (root) => {
  const list = [];
  const walk = (node, passed) => {
    if (node.attribute < 0) { list.push([passed, node.label]); return; }
    walk(node.yes, [...passed, node]);
    walk(node.no, passed);
  };
  walk(root, []);
  return list;
};
const toSql = (root) => {
  const lines = decisionList(root).map(([tests, label]) => (tests.length ? `  WHEN ${tests.map(sqlPasses).join(" AND ")} THEN ${sqlLabel(label)}` : `  ELSE ${sqlLabel(label)}`));
  if (lines.length === 1) lines[0] = `  WHEN 1 = 1 THEN ${sqlLabel(root.label)}`;
  const instants = [...new Set(nodesOf(root).filter((node) => node.attribute >= 0 && attributeOf(node).date && !isWholeDays(attributeOf(node))).map((node) => attributeOf(node).name))];
  const remark = instants.length ? `-- milliseconds since 1970 in UTC: ${instants.map(sqlName).join(", ").replace(/[\r\n]/g, " ")}\n` : "";
  return `${remark}CASE\n${lines.join("\n")}\nEND\n`;
};
const toPython = (root) => {
  const test = (node) => {
    const attribute = attributeOf(node), name = pyText(attribute.name);
    if (!isNominal(attribute)) return `at_most(${name}, ${floatText(node.value)})`;
    const category = categoryOf(attribute, node.value);
    const texts = attribute.boolean ? [category, category === "True" ? "1" : "0"] : [category];
    return `equals(${name}, ${texts.map(pyText).join(", ")})`;
  };
  const give = (label) => (isNumber ? floatText(label) : pyText(labelText(label)));
  const lines = decisionList(root).map(([tests, label]) => (tests.length ? `    if ${tests.map(test).join(" and ")}:\n        return ${give(label)}` : `    return ${give(label)}`));
  const dates = [...new Set(nodesOf(root).filter((node) => node.attribute >= 0 && attributeOf(node).date).map((node) => pyText(attributeOf(node).name)))];
  return `${dates.length ? `# Dates are milliseconds since 1970 in UTC: ${dates.join(", ")}\n` : ""}def predict(row):
    """Return the ${isNumber ? "number" : "class"} of a row, a mapping from names to values.

    A missing value is None, NaN or absent; it passes no test.
    """

    def at_most(name, threshold):
        value = row.get(name)
        return value is not None and value <= threshold

    def equals(name, *spellings):
        value = row.get(name)
        return value is not None and text(value) in spellings

    def text(value):
        # an integer is written without a decimal point; a boolean may have is_integer, too
        if hasattr(value, "is_integer") and value.is_integer() and not isinstance(value, bool):
            return str(int(value))
        return str(value)

${lines.join("\n")}
`;
};
const word = (text) => (/^[\p{L}\p{N}_.-]+$/u.test(text) ? text : JSON.stringify(text));
const toRules = (root, stats) => leavesOf(root).map(({ node, path, steps }) => {
  const parts = [...conditionsOf(steps)].flatMap(([index, facts]) => {
    const attribute = data.attributes[index], name = word(attribute.name);
    const value = (v) => (isNominal(attribute) ? word(valueText(attribute, v)) : attribute.date ? word(valueText(attribute, v)) : String(v));
    if (facts.is !== undefined) return [`${name} = ${value(facts.is)}`];
    return [
      ...(facts.above !== undefined ? [`${name} > ${value(facts.above)}`] : []),
      ...(facts.most !== undefined ? [`${name} <= ${value(facts.most)}`] : []),
      ...facts.not.map((code) => `${name} != ${value(code)}`),
    ];
  });
  const at = stats.get(path);
  const counts = isNumber ? `${at.n} rows` : `${at.right} of ${at.n}`;
  return `IF ${parts.join(" AND ") || "TRUE"} THEN ${word(data.target.name)} = ${word(labelText(node.label))}  (${counts})\n`;
}).join("");

const toJson = (root, stats) => {
  const nodes = [];
  const labels = isNumber ? [...new Set(leavesOf(root).map(({ node }) => labelText(node.label)))] : data.target.values;
  const write = (node, path) => {
    const written = node.attribute < 0 ? { class: labelText(node.label) } : { attribute: attributeOf(node).name };
    nodes.push(written);
    if (node.attribute >= 0) {
      if (isNominal(attributeOf(node))) written.category = categoryOf(attributeOf(node), node.value);
      else written.threshold = node.value;
      written.yes = nodes.length;
      write(node.yes, `${path}y`);
      written.no = nodes.length;
      write(node.no, `${path}n`);
    }
    if (!isNumber) written.counts = [...stats.get(path).counts];
  };
  write(root, "");
  const head = {
    format: "gatree-tree",
    version: 1,
    class: { name: data.target.name, values: labels },
    attributes: data.attributes.map((attribute) => (isNominal(attribute)
      ? { name: attribute.name, kind: "nominal", values: attribute.values }
      : { name: attribute.name, kind: "numeric", ...(attribute.date ? { date_format: attribute.date } : {}) })),
  };
  const lines = Object.entries(head).map(([key, part]) => `  ${JSON.stringify(key)}: ${JSON.stringify(part)},`);
  return `{\n${lines.join("\n")}\n  "nodes": [\n${nodes.map((node) => `    ${JSON.stringify(node)}`).join(",\n")}\n  ]\n}\n`;
};
