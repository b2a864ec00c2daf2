// A statement, what the guard decided about it, and its rows.

// Codes of what failed after the guard had allowed a statement.
const AFTER_GUARD = new Set(
  (
    "unsupported_by_engine conversion_failed divide_by_zero too_complex execution_failed busy " +
    "unavailable timeout cancelled result_too_large internal_error no_vectors"
  ).split(" "),
);

function decision(result) {
  const data = result.structuredContent ?? {};
  if (!result.isError) {
    const repaired = data.changes?.length ? " after a repair" : "";
    return make("p", { class: "state ok" }, `✓ allowed by the guard${repaired}`);
  }
  const { code } = data.error ?? {};
  const text = AFTER_GUARD.has(code)
    ? "✓ allowed by the guard, ✕ failed"
    : "✕ refused by the guard";
  return make("p", { class: "state failed" }, text);
}

// The statement with the place that an error is about; the place counts as the server does.
function underlined(sql, span) {
  const signs = Array.from(sql);
  const cut = (from, to) => clean(signs.slice(from, to).join(""), LONGEST_TEXT);
  const [from, to] = span;
  return make(
    "pre",
    { tabindex: "0" },
    cut(0, from),
    make("mark", { class: "wrong" }, cut(from, to)),
    cut(to),
  );
}

function changesList(changes) {
  const line = change =>
    make(
      "li",
      {},
      make("code", {}, said(change.before, 200)),
      " became ",
      make("code", {}, said(change.after, 200)),
      make("span", { class: "quiet" }, " ", said(`${change.rule}: ${change.why}`, 400)),
    );
  return make("ul", { class: "changes" }, changes.map(line));
}

function refused(result, sql, field) {
  const { span } = result.structuredContent?.error ?? {};
  const repair = async () => {
    button.disabled = true;
    await fill(place, async () => {
      const { structuredContent: fix, ...answer } = await callTool("fix_sql", { sql });
      if (answer.isError || fix.status !== "fixed") return [quiet("No rule repairs it.")];
      field.value = fix.sql;
      field.focus();
      return [make("p", {}, "The repaired statement is in the box."), changesList(fix.changes)];
    });
  };
  const place = make("div");
  const button = plain("action", repair, "Suggest a repair");
  return [
    decision(result),
    refusal(result),
    span ? underlined(sql, span) : null,
    Object.hasOwn(page.shape.tools, "fix_sql") ? button : null,
    place,
  ];
}

function answered(result, sql, field) {
  if (result.isError) return refused(result, sql, field);
  const data = result.structuredContent;
  const cuts = { rows: ", more exist", bytes: ", cut by size", cells: ", long cells cut" };
  const cut = cuts[data.truncated] ?? "";
  const title = `${plural(data.row_count, "row")}${cut}, ${Math.round(data.elapsed_ms)} ms`;
  announce(title);
  return [
    decision(result),
    data.changes?.length ? changesList(data.changes) : null,
    make("p", { class: "quiet count" }, title),
    data.row_count ? rowsTable(data.columns, data.rows, title) : null,
    notesList(data.notes),
    data.sql ? folded("The statement as it ran", statement(data.sql)) : null,
  ];
}

function sqlPlace(asked) {
  const { contract } = page.shape;
  const first = contract.examples[0];
  const table = contract.nodes[0];
  const value = asked.get("sql") ?? first?.sql ?? `SELECT TOP 20 *\nFROM ${table.name}`;
  const query = asked.get("sql") === null ? (first?.query ?? "") : (asked.get("query") ?? "");
  const field = make("textarea", {
    name: "sql",
    rows: "9",
    spellcheck: "false",
    "aria-label": "T-SQL statement",
  });
  field.value = value;
  const text = make("input", {
    name: "query",
    value: query,
    placeholder: "only for statements with @q",
  });
  const results = make("div", { class: "results" });
  const run = event => {
    event?.preventDefault();
    const sql = field.value;
    const values = text.value.trim() ? { sql, query: text.value } : { sql };
    history.replaceState(null, "", address("sql", values));
    renew();
    fill(results, async () => answered(await callTool("run_readonly_sql", values), sql, field));
  };
  const form = make(
    "form",
    { class: "sql", onsubmit: run },
    field,
    make(
      "div",
      { class: "ask" },
      make("label", { class: "behind" }, "Text behind @q", text),
      make("button", { class: "primary", title: "Ctrl+Enter" }, "Run"),
    ),
  );
  form.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run(event);
  });
  const examples = contract.examples.map(example =>
    make(
      "li",
      {},
      link("sql", { sql: example.sql, query: example.query ?? "" }, said(example.question, 200)),
    ),
  );
  if (asked.get("sql")) run();
  return make(
    "section",
    { class: "split" },
    make("div", {}, make("h1", {}, "SQL"), form, results),
    make(
      "aside",
      { class: "details" },
      make("h3", {}, "Examples"),
      make("ul", { class: "examples" }, examples),
      make("h3", {}, "Tables"),
      make(
        "ul",
        { class: "tables" },
        contract.nodes.map(columnsLine),
        contract.edges.map(edgeLine),
      ),
    ),
  );
}

function columnsLine(node) {
  const columns = node.columns
    .filter(column => column.name !== node.vector)
    .map(column => column.name);
  return make("li", {}, make("strong", {}, said(node.name)), " ", said(columns.join(", "), 400));
}

function edgeLine(edge) {
  const pairs = edge.pairs.map(pair => `${pair.from_table} → ${pair.to_table}`).join(", ");
  return make("li", {}, make("strong", {}, said(edge.name)), " ", said(pairs, 400));
}
