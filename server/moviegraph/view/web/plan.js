// A plan as it ran: what became of each strategy, and which of them found each record.

const MOST_FUSED = 60;
const MOST_ROWS = 5;
const LONG_CELL = 60;
const COUNTS = /^\{'\w+': \d+(?:, '\w+': \d+)*\}$/;
const STATES = {
  ok: ["✓", "found rows"],
  empty: ["○", "found nothing"],
  failed: ["✕", "failed"],
  refused: ["✕", "refused"],
  asked: ["…", "asked the client"],
};

function stateOf(status, count = "") {
  const known = Object.hasOwn(STATES, status);
  const [sign, words] = known ? STATES[status] : ["?", clean(status, 40)];
  const name = `state ${known ? status : ""}`;
  const label = ` ${count} ${words}`.replace("  ", " ");
  return make("span", { class: name }, make("span", { "aria-hidden": "true" }, sign), label);
}

function bar(share) {
  const fill = make("span", { class: "fill" });
  fill.style.width = `${Math.max(0, Math.min(1, Number(share) || 0)) * 100}%`;
  return make("span", { class: "meter", "aria-hidden": "true" }, fill);
}

function badge(number) {
  return make("span", { class: "number-badge", "aria-hidden": "true" }, number);
}

function scoreOf(quality) {
  const label = quality
    ? [bar(quality.score), make("span", {}, unseen("score "), Number(quality.score).toFixed(2))]
    : [make("span", { class: "quiet" }, "no score")];
  return make("span", { class: quality ? "score" : "score none" }, label);
}

function outcomeOf(execution) {
  const rules = execution.attempts.map(attempt => attempt.rule).filter(Boolean);
  const tried = execution.attempts.length > 1 ? plural(execution.attempts.length, "attempt") : "";
  const facts = [
    execution.row_count ? plural(execution.row_count, "row") : "",
    rules.length ? `repaired: ${rules.map(rule => clean(rule, 60)).join(", ")}` : tried,
  ];
  const more = facts.filter(Boolean).map(fact => `, ${fact}`);
  return make("span", { class: "outcome" }, stateOf(execution.status), more);
}

function strategyButton(execution, number, isBest, choose) {
  const about = make(
    "span",
    { class: "about" },
    make("strong", {}, said(execution.strategy_id, 64)),
    isBest ? make("span", { class: "prize" }, "★ best") : null,
    make("span", { class: "message" }, said(execution.message_to_user, 200)),
    outcomeOf(execution),
  );
  const name = `strategy ${isBest ? "best" : ""}`;
  return pressed(name, choose, badge(number), about, scoreOf(execution.quality));
}

function attemptsList(execution) {
  const line = (attempt, at) => {
    const last = at === execution.attempts.length - 1;
    const fate = attempt.code ?? (execution.status === "failed" && last ? "failed" : "ran");
    const by = attempt.rule ?? attempt.method;
    const outcome = `, ${by ? `repaired by ${clean(by, 60)}` : "as sent"}: ${clean(fate, 60)}`;
    const judged = attempt.decision ? `, ${clean(attempt.decision, 20)} by the guard` : "";
    return make(
      "li",
      {},
      make("p", {}, make("strong", {}, `Attempt ${at + 1}`), outcome, judged),
      attempt.message ? make("p", { class: "problem" }, said(attempt.message, 1200)) : null,
      statement(attempt.sql),
    );
  };
  return make("ol", { class: "attempts" }, execution.attempts.slice(0, 10).map(line));
}

function attemptsTitle({ attempts }) {
  return attempts.length > 1 ? "Attempts and repairs" : "Statement";
}

function statement(sql) {
  return make("pre", { tabindex: "0" }, said(sql, LONGEST_TEXT));
}

// The edges of a node are recorded as the text of a mapping from edge tables to counts.
function readCounts(value) {
  const isCounts = typeof value === "string" && COUNTS.test(value);
  return isCounts ? value.slice(1, -1).replaceAll("'", "").replaceAll(":", "") : value;
}

function rowsTable(columns, rows, title) {
  const shown = columns.slice(0, 40);
  const cell = (value, at) => {
    const long = typeof value === "string" && value.length > LONG_CELL;
    const role = long ? "long" : typeof value === "number" ? "number" : null;
    if (value === null) return make("td", {}, make("span", { class: "quiet" }, "null"));
    return make("td", { class: role }, said(readCounts(value), 400));
  };
  const heads = shown.map(name => make("th", { scope: "col" }, said(name)));
  const lines = rows.map(row => make("tr", {}, shown.map((_, at) => cell(row[at], at))));
  return scrolling(title, headed(title, heads, lines));
}

function qualityFacts(quality) {
  if (!quality) return null;
  const percent = share => (typeof share === "number" ? `${Math.round(share * 100)} %` : null);
  const known = typeof quality.similarity === "number";
  return facts([
    ["score", Number(quality.score).toFixed(2)],
    ["rows", clean(quality.rows)],
    ["distinct nodes", clean(quality.nodes)],
    ["similarity to the question", known ? quality.similarity.toFixed(2) : "unknown"],
    ["also found by others", percent(quality.agreement)],
    ["found by no other strategy", percent(quality.novelty)],
  ]);
}

function firstRows(execution) {
  const rows = execution.rows?.slice(0, MOST_ROWS) ?? [];
  if (!rows.length) return null;
  const title = `First ${plural(rows.length, "row")} of ${execution.row_count}`;
  const table = rowsTable(execution.columns, rows, "First rows");
  return [make("h3", {}, title), table];
}

function strategyDetails(execution, why) {
  const state = make("span", { class: "kind" }, stateOf(execution.status));
  return [
    make("h2", {}, said(execution.strategy_id, 64), " ", state),
    why ? make("p", { class: "why" }, said(why, 600)) : null,
    qualityFacts(execution.quality),
    make("h3", {}, attemptsTitle(execution)),
    attemptsList(execution),
    firstRows(execution),
  ].flat();
}

function fusedDetails(context, executions, [kind, id, name, score, finders]) {
  const line = finder => {
    const execution = executions.find(each => each.strategy_id === finder);
    const message = execution ? [": ", said(execution.message_to_user, 200)] : null;
    return make("li", {}, make("strong", {}, said(finder, 64)), message);
  };
  return [
    heading(context.shape, kind, name ?? `${kind} ${id}`),
    facts([["id", clean(id)], ["fused score", clean(score)]]),
    make("h3", {}, "Found by"),
    make("ul", { class: "ways" }, finders.slice(0, 20).map(line)),
    recordButton(context, kind, { ids: [id] }),
  ];
}

// The cells of a record: a dot for each strategy that found it, and a line from first to last.
function dots(executions, finders) {
  const marks = executions.map(execution => finders.includes(execution.strategy_id));
  const [first, last] = [marks.indexOf(true), marks.lastIndexOf(true)];
  return marks.map((mark, at) => {
    const from = at > first && at <= last ? "from" : "";
    const to = at >= first && at < last ? "to" : "";
    const attributes = { class: `dot ${mark ? "on" : ""} ${from} ${to}`, "data-strategy": at };
    const drawn = make("span", { class: "mark", "aria-hidden": "true" });
    return make("td", attributes, unseen(mark ? "found" : "no"), drawn);
  });
}

function matrix(context, executions, rows, choose) {
  const highest = Math.max(...rows.map(row => Number(row[3]) || 0), 1e-9);
  const { kinds } = context.shape;
  const buttons = rows.map(row => {
    const [kind, id, name] = row;
    const label = [glyph(kinds.indexOf(kind)), " ", said(name ?? `${kind} ${id}`)];
    return pressed("plain", () => choose(row), label, unseen(`, ${clean(kind)}`));
  });
  const line = (row, at) => {
    const share = make("td", { class: "fused" }, bar(row[3] / highest), unseen(clean(row[3])));
    const name = make("th", { scope: "row" }, buttons[at]);
    return make("tr", {}, name, dots(executions, row[4]), share);
  };
  const heads = executions.map(({ strategy_id: id }, at) => {
    const attributes = { scope: "col", class: "dot", title: clean(id, 64) };
    return make("th", attributes, badge(at + 1), unseen(said(id, 64)));
  });
  const head = name => make("th", { scope: "col" }, name);
  const caption = "Records, best first, and the strategies that found each";
  const table = headed(caption, [head("Record"), ...heads, head("Fused")], rows.map(line));
  table.className = "matrix";
  rove(buttons, (at, key) => upDown(buttons, at, key));
  const name = "Records and who found them: arrow keys move, Enter shows details";
  const element = make("div", { class: "scroll", role: "group", "aria-label": name }, table);
  return { buttons, element };
}

function upDown(buttons, at, key) {
  const keys = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 };
  return buttons[keys[key]];
}

function fusedRows(data) {
  const whole = row => Array.isArray(row) && Array.isArray(row[4]);
  return (data.fused?.rows ?? []).filter(whole).slice(0, MOST_FUSED);
}

function planView(context, data) {
  const { executions, best, why } = data;
  const rows = fusedRows(data);
  const winner = executions.findIndex(each => each.execution_id === best);
  const details = make("section", { class: "details", "aria-label": "Details" });
  const beside = () => getComputedStyle(split).display === "grid";
  const choose = (chosen, column, parts, above) => {
    for (const each of [...buttons, ...table.buttons])
      each.setAttribute("aria-pressed", String(each === chosen));
    for (const cell of table.element.querySelectorAll("td.dot"))
      cell.classList.toggle("lit", Number(cell.dataset.strategy) === column);
    details.replaceChildren(...parts.filter(Boolean));
    if (beside()) split.append(details);
    else above.after(details);
  };
  const chooseStrategy = at => {
    const parts = strategyDetails(executions[at], at === winner ? why : null);
    choose(buttons[at], at, parts, list);
    announce(`${clean(executions[at].strategy_id, 64)}. Details follow.`);
  };
  const chooseRecord = row => {
    const parts = fusedDetails(context, executions, row);
    choose(table.buttons[rows.indexOf(row)], -1, parts, table.element);
    announce(`${clean(row[2] ?? row[1])}, found by ${row[4].length}. Details follow.`);
  };
  const buttons = executions.map((each, at) =>
    strategyButton(each, at + 1, at === winner, () => chooseStrategy(at)),
  );
  rove(buttons, (at, key) => upDown(buttons, at, key));
  const table = matrix(context, executions, rows, chooseRecord);
  const list = make("ul", { class: "strategies" }, buttons.map(button => make("li", {}, button)));
  const title = `Who found what: ${plural(rows.length, "record")}`;
  const stage = make(
    "div",
    {},
    make("h3", {}, plural(executions.length, "strategy", "strategies")),
    list,
    rows.length ? make("h3", {}, title) : null,
    rows.length ? legend(context.shape, rows.map(row => clean(row[0])), []) : null,
    rows.length ? table.element : null,
  );
  const split = make("div", { class: "split" }, stage);
  const star = best ? make("span", { class: "prize", "aria-hidden": "true" }, "★ ") : null;
  const element = make(
    "div",
    { class: "view" },
    make("p", { class: "lead" }, said(data.question, 600)),
    make("p", { class: "why" }, star, said(why, 600)),
    split,
    notesList(data.notes),
  );
  const resize = () => {
    if (winner >= 0 && !details.isConnected && beside()) chooseStrategy(winner);
  };
  return { element, resize };
}
