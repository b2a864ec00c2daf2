// Rows of any statement, with why they were chosen, what was repaired and the statement itself.

const MOST_PLAIN = 200;

function rowsView(data) {
  const rows = data.rows.filter(Array.isArray);
  const more = rows.length - MOST_PLAIN;
  const changes = (data.changes ?? []).map(each =>
    make("li", {}, make("strong", {}, said(each.rule, 60)), ": ", said(each.why, 600)),
  );
  const told = data.added === undefined ? "" : `, ${plural(data.added, "row")} added`;
  const element = make(
    "div",
    { class: "view" },
    make("p", { class: "lead" }, clean(`${plural(rows.length, "row")}${told}${data.truncated ? `, cut by ${data.truncated}` : ""}`)),
    data.chosen_because ? make("p", { class: "why" }, said(data.chosen_because, 600)) : null,
    changes.length ? make("section", { "aria-label": "Repairs" }, make("h3", {}, "Repairs"), make("ul", {}, changes)) : null,
    rows.length ? rowsTable(data.columns, rows.slice(0, MOST_PLAIN), "Rows found") : null,
    more > 0 ? make("p", { class: "quiet" }, `and ${plural(more, "further row")}`) : null,
    notesList(data.notes),
    data.sql ? make("details", {}, make("summary", {}, "Statement"), make("pre", { tabindex: "0" }, said(data.sql, LONGEST_TEXT))) : null,
  );
  return { element, resize() {} };
}

function messageView(text, title) {
  const element = make("div", { class: "view" }, title ? make("p", { class: "lead" }, title) : null, make("p", { class: "text" }, said(text, LONGEST_TEXT)));
  return { element, resize() {} };
}

// Chooses the view by the form of the answer, not by the name of the tool.
function resultView(context, result) {
  const data = result?.structuredContent;
  if (!data || result.isError) return messageView(errorText(result ?? {}), result?.isError ? "This call failed." : null);
  if (Array.isArray(data.executions)) return planView(context, data);
  if (!Array.isArray(data.columns) || !Array.isArray(data.rows)) return messageView(errorText(result), null);
  return data.columns.includes("Via") ? traversalView(context, data) : rowsView(data);
}

// Draws into the page; what the data spoils is told, and never stops the page.
function show(context, result) {
  const root = document.getElementById("root");
  try {
    const view = resultView(context, result);
    root.replaceChildren(view.element);
    view.resize();
    return view;
  } catch {
    const view = messageView(errorText({ content: result?.content }), "This answer cannot be drawn.");
    root.replaceChildren(view.element);
    return view;
  }
}
