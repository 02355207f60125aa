(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const say = (text) => { document.getElementById("said").textContent = text; };

  // --- ours, published, difference -------------------------------------------------------------------
  const names = { ours: "", paper: "(published)", difference: "(ours − published)" };
  for (const cell of all("table.numbers td")) cell.dataset.ours = cell.textContent;

  const show = (view) => {
    document.body.dataset.view = view;
    for (const cell of all("table.numbers td")) cell.textContent = cell.dataset[view];
    for (const name of all(".view-name")) name.textContent = names[view];
    for (const heading of all("th[aria-sort]")) heading.setAttribute("aria-sort", "none");
  };
  for (const choice of all("input[name=view]")) {
    choice.addEventListener("change", () => { show(choice.value); say(`Tables show: ${choice.value}`); });
    if (choice.checked) show(choice.value); // a browser may remember the choice over a reload
  }

  // --- what a link leads to is opened ----------------------------------------------------------------
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const closed = target.closest("section, details")?.querySelector(":scope > details") || null;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target.tagName === "SECTION" && closed) closed.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();

  // --- the rows of a table ---------------------------------------------------------------------------
  for (const select of all("select.measure")) {
    const table = select.parentElement.nextElementSibling.querySelector("table");
    const apply = () => {
      for (const body of table.tBodies) {
        const name = body.querySelector("th.dataset");
        for (const row of body.rows) row.hidden = select.value !== "" && row.dataset.measure !== select.value;
        const shown = [...body.rows].filter((row) => !row.hidden);
        if (!shown.length) continue;
        shown[0].prepend(name); // the data set's name moves to the first row shown
        name.rowSpan = shown.length;
      }
    };
    select.addEventListener("change", apply);
    apply();
  }

  // --- sorting ---------------------------------------------------------------------------------------
  const number = (text) => Number.parseFloat(text.replace("−", "-"));
  const key = (body, column, firstColumn) => {
    if (column === 0) return body.querySelector("th.dataset").textContent.trim();
    const row = [...body.rows].find((row) => !row.hidden);
    return number(row.querySelectorAll("td")[column - firstColumn].textContent);
  };
  const compare = (a, b, sign) => {
    if (typeof a === "string") return sign * a.localeCompare(b);
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b); // missing ones last
    return sign * (a - b);
  };
  for (const button of all("button.sort")) {
    button.addEventListener("click", () => {
      const table = button.closest("table");
      const heading = button.closest("th");
      const order = heading.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      const column = Number(button.dataset.column);
      const firstColumn = Math.min(...all("button.sort", table).map((b) => Number(b.dataset.column))
        .filter(Boolean));
      const sign = order === "ascending" ? 1 : -1;
      const keyed = [...table.tBodies].map((body) => [key(body, column, firstColumn), body]);
      keyed.sort((a, b) => compare(a[0], b[0], sign));
      for (const [, body] of keyed) table.append(body);
      for (const other of all("th[aria-sort]", table)) other.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", order);
      say(`Sorted by ${button.textContent}, ${order}`);
    });
  }
})();
