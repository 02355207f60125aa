// Format numbers, dates, tests and leaves; export a tree as rules, SQL, Python and JSON. Nothing here touches
// the page.
const isNumber = !data.target.values; // numbers are predicted, not classes
const MOST_CLASSES = 30; // that are drawn; the others are one

const attributeOf = (node) => data.attributes[node.attribute];
const isNominal = (attribute) => Boolean(attribute.values);
const meaningOf = (attribute) => (isNominal(attribute) ? "category" : attribute.date ? "date" : "number");
const categoryOf = (attribute, code) => attribute.values[code] ?? `value ${code + 1}`;
const isWholeDays = (attribute) => !/[HhKkmsSa]/.test(attribute.date.replace(/'[^']*'/g, ""));

const short = (x) => (Number.isInteger(x) && Math.abs(x) < 1e15 ? String(x)
  : String(Number(x.toPrecision(Math.abs(x) >= 1e4 ? 7 : 5))));
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const counted = (n) => n.toLocaleString("en");
const plural = (n, one, many = `${one}s`) => `${counted(n)} ${n === 1 ? one : many}`;
const leavesText = (n) => plural(n, "leaf", "leaves");
const nameOf = (index) => data.attributes[index].name;
const worthText = (worth) => (worth === null || worth === undefined ? "–" : isNumber ? worth.toFixed(4)
  : percent(worth, 2));
const errorText = (error) => (isNumber ? error.toFixed(4) : percent(error, 2));
const worthName = isNumber ? "R²" : data.measure;

const dateText = (attribute, milliseconds) => { // as ISO 8601 has it, in UTC
  const date = new Date(Math.floor(milliseconds));
  if (Number.isNaN(date.getTime())) return short(milliseconds);
  const iso = date.toISOString();
  return isWholeDays(attribute) ? iso.slice(0, 10) : iso.slice(0, 23).replace("T", " ").replace(/\.000$/, "");
};
const valueText = (attribute, value) => {
  if (value === null || value === undefined) return "missing";
  if (isNominal(attribute)) return categoryOf(attribute, value);
  return attribute.date ? dateText(attribute, value) : short(value);
};
// Large numbers for people, with separators; exports have the plain digits.
const grouped = (x) => (Math.abs(x) < 1e3 || Math.abs(x) >= 1e15 ? short(x)
  : Number(x.toPrecision(7)).toLocaleString("en", { maximumFractionDigits: 6 }));
const rounded = (x, digits) => grouped(Number(x.toPrecision(digits)));
const labelShown = (label) => (isNumber ? grouped(label) : labelText(label));
const labelText = (label) => (isNumber ? short(label) : data.target.values[label]);
// Of two values, true, yes or 1 is shown first, whichever of them the tree tests.
const isSwapped = (node) => (attributeOf(node)?.first ?? node.value) !== node.value;
const sidesShown = (node) => (isSwapped(node) ? "ny" : "yn");
const heldBy = (attribute, value, passed) =>
  (!passed && attribute.values?.length === 2 ? [1 - value, true] : [value, passed]);
const testText = (node) => branchText(node, !isSwapped(node));
// The condition of a branch, without the attribute's name.
const branchText = (node, isPassed) => {
  const [value, passed] = heldBy(attributeOf(node), node.value, isPassed);
  const relation = isNominal(attributeOf(node)) ? (passed ? "=" : "≠") : passed ? "≤" : ">";
  return `${relation} ${valueText(attributeOf(node), value)}`;
};

const leafWords = (node, here) => {
  if (!here.n) return "no rows";
  if (isNumber) return `${plural(here.n, "row")}, sd ${rounded(here.sd, 3)}`;
  const right = here.counts[node.label];
  return right === here.n ? `all ${plural(here.n, "row")}`
    : `${right} of ${here.n} (${percent(right / here.n, 0)})`;
};

// --- conditions: what must hold at a node, without what follows from the rest ------------------------------
const conditionsOf = (steps) => { // steps: [node, passed] from the root on; gives [attribute, value, outcome]
  const known = new Map();
  for (const [node, passed] of steps) {
    const facts = known.get(node.attribute) ?? { passed: [], failed: [] };
    facts[passed ? "passed" : "failed"].push(node.value);
    known.set(node.attribute, facts);
  }
  return [...known].flatMap(([index, { passed, failed }]) => {
    const attribute = data.attributes[index];
    if (isNominal(attribute)) return passed.length ? [[attribute, passed[0], "passed"]]
      : [...new Set(failed)].map((value) => [attribute, value, "failed"]);
    return [
      ...(failed.length ? [[attribute, Math.max(...failed), passed.length ? "above" : "failed"]] : []),
      ...(passed.length ? [[attribute, Math.min(...passed), "passed"]] : []),
    ];
  });
};
const conditionWords = ([attribute, value, outcome]) => {
  const [same, other] = isNominal(attribute) ? ["is", "is not"] : ["is at most", "is above"];
  const [held, passed] = heldBy(attribute, value, outcome === "passed");
  return `${passed ? same : other} ${valueText(attribute, held)}`
    + (outcome === "failed" ? ", or is missing" : "");
};

// --- rules, SQL, Python and JSON, as `gatree export` writes them: values are put between texts of the page's
// data
const written = (language) => ([attribute, value, outcome]) => {
  const texts = attribute.texts[language], isOther = outcome === "failed" && texts.other
    && attribute.values?.length === 2;
  const [before, after] = isOther ? texts.other : texts[outcome];
  return before + (texts.values ? texts.values[isOther ? 1 - value : value]
    : attribute.date ? dateText(attribute, value) : String(value)) + after;
};
const given = (language, label) => (isNumber ? String(label) : data.target.texts[language][label]);
const whereSql = (steps) => conditionsOf(steps).map(written("sql")).join("\n  AND ") || "1 = 1";
const remarks = (root, language) => testedHere(root)
  .map((index) => data.attributes[index].texts[language].remark ?? "").join("");
// A row goes to the first leaf, from left to right, whose passed tests all hold.
const decisionList = (root, language) => leavesOf(root)
  .map(({ node, steps }) => [conditionsOf(steps.filter(([, passed]) => passed)).map(written(language)),
  given(language, node.label)]);
const toSql = (root) => {
  const lines = decisionList(root, "sql")
    .map(([tests, label]) => (tests.length ? `  WHEN ${tests.join(" AND ")} THEN ${label}`
    : root.attribute < 0 ? `  WHEN 1 = 1 THEN ${label}` : `  ELSE ${label}`));
  return `${remarks(root, "sql")}CASE\n${lines.join("\n")}\nEND\n`;
};
const toPython = (root) => {
  const lines = decisionList(root, "python")
    .map(([tests, label]) => (tests.length ? `    if ${tests.join(" and ")}:\n        return ${label}`
    : `    return ${label}`));
  const kinds = new Set(testedHere(root).map((index) => meaningOf(data.attributes[index])));
  const helpers = data.heads.helpers.filter(([kind]) => kinds.has(kind)).map(([, code]) => code);
  return `${remarks(root, "python")}${data.heads.python}${helpers.join("")}${lines.join("\n")}\n`;
};
const toRules = (root, stats) => leavesOf(root).map(({ node, path, steps }) => {
  const here = stats.get(path), conditions = conditionsOf(steps).map(written("rules")).join(" AND ")
    || "TRUE";
  return `IF ${conditions} THEN ${data.heads.rules} = ${given("rules", node.label)}  `
    + `(${isNumber ? `${here.n} ${here.n === 1 ? "row" : "rows"}` : `${here.right} of ${here.n}`})\n`;
}).join("");
const toJson = (root, stats) => {
  const nodes = [];
  const write = (node, path) => {
    const attribute = attributeOf(node), own = {};
    nodes.push(own);
    if (attribute) {
      own.attribute = attribute.name;
      own[isNominal(attribute) ? "category" : "threshold"] = isNominal(attribute)
        ? categoryOf(attribute, node.value)
        : node.value;
      own.yes = nodes.length;
      write(node.yes, `${path}y`);
      own.no = nodes.length;
      write(node.no, `${path}n`);
    } else own[isNumber ? "value" : "class"] = isNumber ? node.label : data.target.values[node.label];
    own.counts = isNumber ? [stats.get(path).n] : [...stats.get(path).counts];
  };
  write(root, "");
  return `${data.heads.json}${nodes.map((node) => `    ${JSON.stringify(node)}`).join(",\n")}\n  ]\n}\n`;
};
