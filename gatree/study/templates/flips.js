// As `DecisionTree.flips`: the smallest changes of a row to every other class, or to a higher and a lower
// number.
const demandsOf = (steps) => { // of every tested attribute what a leaf demands of it
  const demands = new Map();
  for (const [{ attribute, value }, passed] of steps) {
    const found = demands.get(attribute) ?? { low: -Infinity, high: Infinity, is: null, not: new Set() };
    if (!isNominal(data.attributes[attribute]))
      passed ? found.high = Math.min(found.high, value) : found.low = Math.max(found.low, value);
    else if (!passed) found.not.add(value);
    else if (found.is !== null && found.is !== value) return null;
    else found.is = value;
    if (found.low >= found.high || found.not.has(found.is)) return null;
    demands.set(attribute, found);
  }
  return [...demands];
};
// null if none is needed, undefined if there is none
const changeFor = ([index, { low, high, is, not }], value) => {
  const attribute = data.attributes[index], name = nameOf(index);
  if (!isNominal(attribute)) {
    if (value === null ? high === Infinity : low < value && value <= high) return null;
    const [above, most] = [low, high].map((end) => valueText(attribute, end));
    const words = high === Infinity ? `${name} > ${above}` : low === -Infinity ? `${name} ≤ ${most}`
      : `${above} < ${name} ≤ ${most}`;
    return { words, far: value === null ? 1
      : Math.abs(value - (value > high ? high : low)) / (attribute.spread ?? 1) };
  }
  if (value === null ? is === null : is === null ? !not.has(value) : value === is) return null;
  const left = is !== null ? [is] : attribute.values.map((_, code) => code).filter((code) => !not.has(code));
  if (!left.length) return undefined;
  const written = (codes) => [...codes].map((code) => categoryOf(attribute, code));
  return { words: left.length <= not.size || is !== null ? `${name} = ${written(left).join(" or ")}`
    : `${name} ≠ ${written(not).join(", ")}`, far: 1 };
};
const flipsOf = (root, valueAt) => {
  const now = at(root, pathOf(root, valueAt)).label, nearest = new Map();
  for (const { node: { label }, steps } of leavesOf(root)) {
    const key = isNumber ? label > now : label, changes = label === now ? null
      : demandsOf(steps)?.map((demand) => changeFor(demand, valueAt(demand[0])))
      .filter((change) => change !== null);
    if (!changes || changes.includes(undefined)) continue;
    const found = { label, n: changes.length, far: sum(changes.map(({ far }) => far)),
      words: changes.map(({ words }) => words).join(" and ") };
    const best = nearest.get(key);
    if (!best || found.n < best.n || (found.n === best.n && found.far < best.far)) nearest.set(key, found);
  }
  return [...nearest.values()].sort((a, b) => a.n - b.n || a.far - b.far);
};
