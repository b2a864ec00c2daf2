// A plan as it ran: what became of each strategy, and which of them found each record.

const MOST_FUSED = 60;
const MOST_ROWS = 5;
const STATES = {
  ok: ["✓", "found rows"],
  empty: ["○", "found nothing"],
  failed: ["✕", "failed"],
  refused: ["✕", "refused"],
  asked: ["…", "asked the client first"],
};

function stateOf(status) {
  const [sign, words] = STATES[status] ?? ["?", clean(status, 40)];
  return make("span", { class: `state ${status in STATES ? status : ""}` }, make("span", { "aria-hidden": "true" }, sign), ` ${words}`);
}

function bar(score) {
  const share = Math.max(0, Math.min(1, Number(score) || 0));
  const fill = make("span", { class: "fill" });
  fill.style.width = `${share * 100}%`;
  return make("span", { class: "meter", "aria-hidden": "true" }, fill);
}

function repairsOf(execution) {
  const rules = execution.attempts.map(attempt => attempt.rule).filter(Boolean);
  if (rules.length) return `repaired: ${rules.map(rule => clean(rule, 60)).join(", ")}`;
  return execution.attempts.length > 1 ? plural(execution.attempts.length, "attempt") : "";
}

function strategyLine(execution, number, isBest, choose) {
  const { quality } = execution;
  const repairs = repairsOf(execution);
  return make(
    "li",
    {},
    make(
      "button",
      { type: "button", class: `strategy ${isBest ? "best" : ""}`, "aria-pressed": "false", onclick: () => choose(number - 1) },
      make("span", { class: "number-badge", "aria-hidden": "true" }, number),
      make(
        "span",
        { class: "about" },
        make("strong", {}, said(execution.strategy_id, 64)),
        isBest ? make("span", { class: "prize" }, "★ best") : null,
        make("span", { class: "message" }, said(execution.message_to_user, 200)),
        make("span", { class: "outcome" }, stateOf(execution.status), execution.row_count ? `, ${plural(execution.row_count, "row")}` : "", repairs ? `, ${repairs}` : ""),
      ),
      make("span", { class: "score" }, quality ? [bar(quality.score), make("span", {}, make("span", { class: "unseen" }, "score "), Number(quality.score).toFixed(2))] : make("span", { class: "quiet" }, "no score")),
    ),
  );
}

function attemptsList(execution) {
  const line = (attempt, at) => {
    const last = at === execution.attempts.length - 1;
    const fate = attempt.code ? `${clean(attempt.code, 60)}` : execution.status === "failed" && last ? "failed" : "ran";
    return make(
      "li",
      {},
      make("p", {}, make("strong", {}, `Attempt ${at + 1}`), attempt.rule ? `, mended by ${clean(attempt.rule, 60)}` : ", as given", `: ${fate}`),
      attempt.message ? make("p", { class: "problem" }, said(attempt.message, 1200)) : null,
      make("pre", { tabindex: "0" }, said(attempt.sql, LONGEST_TEXT)),
    );
  };
  return make("ol", { class: "attempts" }, execution.attempts.slice(0, 10).map(line));
}

function rowsTable(columns, rows, title) {
  return make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    make(
      "table",
      {},
      make("caption", { class: "unseen" }, title),
      make("thead", {}, make("tr", {}, columns.slice(0, 40).map(name => make("th", { scope: "col" }, said(name))))),
      make(
        "tbody",
        {},
        rows.map(row =>
          make("tr", {}, columns.slice(0, 40).map((_, at) =>
            make("td", { class: typeof row[at] === "number" ? "number" : "" }, row[at] === null ? make("span", { class: "quiet" }, "null") : said(row[at], 400)))),
        ),
      ),
    ),
  );
}

function percent(share) {
  return typeof share === "number" ? `${Math.round(share * 100)} %` : null;
}

function qualityFacts(quality) {
  if (!quality) return null;
  return facts([
    ["Score", Number(quality.score).toFixed(2)],
    ["Rows", clean(quality.rows)],
    ["Distinct nodes", clean(quality.nodes)],
    ["Similarity to the question", quality.similarity === null ? "not known" : Number(quality.similarity).toFixed(2)],
    ["Found by others too", percent(quality.agreement)],
    ["Found by no other", percent(quality.novelty)],
  ]);
}

function strategyDetails(context, execution, isBest, why) {
  return [
    make("h2", {}, said(execution.strategy_id, 64), " ", make("span", { class: "kind" }, stateOf(execution.status))),
    isBest ? make("p", { class: "why" }, said(why, 600)) : null,
    qualityFacts(execution.quality),
    make("h3", {}, execution.attempts.length > 1 ? "Attempts and repairs" : "Statement"),
    attemptsList(execution),
    execution.rows?.length ? make("h3", {}, `First ${plural(Math.min(MOST_ROWS, execution.rows.length), "row")} of ${execution.row_count}`) : null,
    execution.rows?.length ? rowsTable(execution.columns, execution.rows.slice(0, MOST_ROWS), "First rows") : null,
    context.open ? make("button", { type: "button", class: "action", onclick: () => context.open(execution.execution_id) }, "Open the whole record") : null,
  ];
}

function fusedDetails(context, executions, [kind, id, name, score, finders]) {
  return [
    heading(context.shape, kind, name ?? `${kind} ${id}`),
    facts([["Id", clean(id)], ["Fused score", clean(score)]]),
    make("h3", {}, "Found by"),
    make("ul", { class: "ways" }, finders.slice(0, 20).map(finder => {
      const execution = executions.find(each => each.strategy_id === finder);
      return make("li", {}, make("strong", {}, said(finder, 64)), execution ? [": ", said(execution.message_to_user, 200)] : null);
    })),
    recordButton(context, kind, { ids: [id], detail: "full" }),
  ];
}

// A line for each record, a column for each strategy: a dot where that one found it.
function matrix(context, executions, rows, choose) {
  const highest = Math.max(...rows.map(row => Number(row[3]) || 0), 1e-9);
  const dots = finders => {
    const marks = executions.map(execution => finders.includes(execution.strategy_id));
    const [first, last] = [marks.indexOf(true), marks.lastIndexOf(true)];
    return marks.map((mark, at) =>
      make(
        "td",
        { class: `dot ${mark ? "on" : ""} ${at > first && at <= last ? "from" : ""} ${at >= first && at < last ? "to" : ""}`, "data-strategy": at },
        make("span", { class: "unseen" }, mark ? "found" : "no"),
        make("span", { class: "mark", "aria-hidden": "true" }),
      ),
    );
  };
  const buttons = rows.map(row =>
    make("button", { type: "button", class: "plain", "aria-pressed": "false", onclick: () => choose(row) }, glyph(context.shape.kinds.indexOf(row[0])), " ", said(row[2] ?? `${row[0]} ${row[1]}`), make("span", { class: "unseen" }, `, ${clean(row[0])}`)),
  );
  rove(buttons, (at, key) => ({ ArrowDown: buttons[at + 1], ArrowUp: buttons[at - 1], Home: buttons[0], End: buttons.at(-1) })[key]);
  const line = (row, at) =>
    make("tr", {}, make("th", { scope: "row" }, buttons[at]), dots(row[4]), make("td", { class: "fused" }, bar(row[3] / highest), make("span", { class: "unseen" }, clean(row[3]))));
  const head = executions.map((execution, at) =>
    make("th", { scope: "col", class: "dot", title: clean(execution.strategy_id, 64) }, make("span", { class: "number-badge", "aria-hidden": "true" }, at + 1), make("span", { class: "unseen" }, said(execution.strategy_id, 64))),
  );
  return {
    buttons,
    element: make(
      "div",
      { class: "scroll", role: "group", "aria-label": "Records and who found them: arrow keys move, Enter shows details" },
      make(
        "table",
        { class: "matrix" },
        make("caption", { class: "unseen" }, "Records found, best first, with the strategies that found each"),
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "Record"), head, make("th", { scope: "col" }, "Fused"))),
        make("tbody", {}, rows.map(line)),
      ),
    ),
  };
}

function planView(context, data) {
  const { executions, best, why } = data;
  const rows = (data.fused?.rows ?? []).slice(0, MOST_FUSED).filter(row => Array.isArray(row) && Array.isArray(row[4]));
  const winner = executions.findIndex(each => each.execution_id === best);
  const details = make("section", { class: "details", "aria-label": "Details" });
  const show = (parts, text) => {
    details.replaceChildren(...parts.flat().filter(Boolean));
    announce(`${text}. Details are below.`);
  };
  const press = chosen => {
    for (const each of [...lines.map(line => line.firstChild), ...found.buttons])
      each.setAttribute("aria-pressed", String(each === chosen));
  };
  const mark = chosen => {
    for (const cell of found.element.querySelectorAll("td.dot"))
      cell.classList.toggle("lit", Number(cell.dataset.strategy) === chosen);
  };
  const chooseStrategy = at => {
    press(lines[at].firstChild);
    mark(at);
    show(strategyDetails(context, executions[at], at === winner, why), clean(executions[at].strategy_id, 64));
  };
  const chooseRecord = row => {
    press(found.buttons[rows.indexOf(row)]);
    mark(-1);
    show(fusedDetails(context, executions, row), `${clean(row[2] ?? row[1])}, found by ${row[4].length}`);
  };
  const lines = executions.map((each, at) => strategyLine(each, at + 1, at === winner, chooseStrategy));
  const found = matrix(context, executions, rows, chooseRecord);
  const buttons = lines.map(line => line.firstChild);
  rove(buttons, (at, key) => ({ ArrowDown: buttons[at + 1], ArrowUp: buttons[at - 1], Home: buttons[0], End: buttons.at(-1) })[key]);
  const element = make(
    "div",
    { class: "view" },
    make("p", { class: "lead" }, said(data.question, 600)),
    make("p", { class: "why" }, best ? make("span", { class: "prize", "aria-hidden": "true" }, "★ ") : null, said(why, 600)),
    make(
      "div",
      { class: "split" },
      make(
        "div",
        { class: "stage" },
        make("h3", {}, plural(executions.length, "strategy").replace("strategys", "strategies")),
        make("ul", { class: "strategies" }, lines),
        rows.length ? make("h3", {}, `${plural(rows.length, "record")}, and who found ${rows.length === 1 ? "it" : "them"}`) : null,
        rows.length ? found.element : null,
      ),
      details,
    ),
    notesList(data.notes),
  );
  if (executions.length) chooseStrategy(Math.max(0, winner));
  return { element, resize() {} };
}
