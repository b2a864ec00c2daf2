// One record of the journal in full: what was requested, tried, decided, run and found.

const MOST_KEYS = 60;

function written(text, options) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? clean(text, 40) : date.toLocaleString("en-US", options);
}

function moment(text) {
  return written(text, { dateStyle: "medium", timeStyle: "medium" });
}

function clockTime(text) {
  return written(text, { timeStyle: "short" });
}

function dayOf(text) {
  return written(text, { dateStyle: "full" });
}

function clientOf(client) {
  if (!client) return null;
  const named = [client.name, client.version].filter(Boolean).join(" ") || "unnamed";
  return clean(`${named} over ${client.transport}, protocol ${client.protocol ?? "unknown"}`);
}

function modelOf(cost) {
  const tokens = `${plural(cost.prompt_tokens, "token")} in, ${cost.completion_tokens} out`;
  const untold = cost.untold ? `, unknown for ${plural(cost.untold, "call")}` : "";
  const calls = `${cost.by} ${cost.model ?? ""} to ${cost.purpose}: ${plural(cost.calls, "call")}`;
  return make("li", {}, clean(`${calls}, ${tokens}${untold}`, 300));
}

function block(title, text) {
  return text ? [make("h3", {}, title), statement(text)] : [];
}

// The statement is shown once, although most were sent, tried and run as the same text.
function ran(record) {
  const attempts = record.attempts.map(attempt => attempt.sql);
  const steps = record.statements.filter(sql => sql !== record.sql && !attempts.includes(sql));
  const sent = !record.arguments && attempts.length && !attempts.includes(record.given);
  const title = record.statements.length ? "Statement that ran" : "Statement after the check";
  return [
    attempts.includes(record.sql) ? [] : block(title, record.sql),
    sent ? folded("SQL as sent", statement(record.given)) : null,
    steps.length
      ? folded(plural(steps.length, "internal step"), statement(steps.join("\n")))
      : null,
  ].flat();
}

function argumentFacts(record) {
  const pairs = Object.entries(record.arguments ?? {}).slice(0, 20);
  if (!pairs.length) return record.attempts.length ? [] : block("Request", record.given);
  const text = value => (Array.isArray(value) ? value.map(each => clean(each)).join(", ") : value);
  const named = ([name, value]) => [name.replaceAll("_", " "), said(text(value), 1200)];
  return [make("h3", {}, "Arguments"), facts(pairs.map(named))];
}

function keptRows(record) {
  if (!record.columns.length) return [];
  const count = record.rows?.length ?? 0;
  const none = "Rows are recorded if MOVIEGRAPH_JOURNAL_RESULTS=1 is set when the call is made.";
  if (!count) return record.row_count ? [make("h3", {}, "Rows"), quiet(none)] : [];
  const all = count === record.row_count;
  const title = all ? plural(count, "row") : `First ${count} of ${plural(record.row_count, "row")}`;
  const table = rowsTable(record.columns, record.rows.slice(0, 100), title);
  return [make("h3", {}, title), table];
}

// The nodes that were found: their names are in the rows, if those are recorded.
function nodesFound(context, record) {
  if (!record.keys.length) return [];
  const more = record.keys.length - MOST_KEYS;
  const line = ([kind, id]) =>
    make("li", {}, glyph(context.shape.kinds.indexOf(kind)), " ", said(`${kind} ${id}`));
  return [
    make("h3", {}, plural(record.keys.length, "node")),
    make("ul", { class: "legend" }, record.keys.slice(0, MOST_KEYS).map(line)),
    more > 0 ? quiet(`and ${plural(more, "more node")}`) : null,
  ];
}

function recordHead(record) {
  const cut = record.truncated ? ` (limited by ${record.truncated})` : "";
  return facts([
    ["tool", clean(record.tool)],
    ["strategy", record.strategy_id ? said(record.strategy_id) : null],
    ["rows", `${record.row_count}${cut}`],
    ["duration", `${record.elapsed_ms} ms`],
    ["time", moment(record.created)],
  ]);
}

function chainFacts(record) {
  return folded(
    `Record ${record.number} of the chain`,
    facts([
      ["id", clean(record.id)],
      ["call", clean(record.call_id)],
      ["owner", said(record.owner)],
      ["client", clientOf(record.client)],
      ["contract", clean(record.contract_hash)],
      ["data", clean(record.content_hash)],
      ["hash", clean(record.hash)],
    ]),
  );
}

// A walk whose rows were kept is drawn as its caller could see it, where its contract is known.
function walked(context, record) {
  const known = record.contract_hash === context.shape.hash && record.columns.includes("Via");
  if (!known || !record.paths?.length) return null;
  return traversalView(context, { ...record, notes: [] }, record.paths);
}

// Where nothing says what a statement is for, the statement itself is the title.
function isStatement({ question, purpose, query, arguments: values }) {
  return !question && !purpose && !query && !values;
}

function recordView(context, record) {
  const picture = walked(context, record);
  const element = make(
    "div",
    { class: "view" },
    make("h2", { class: isStatement(record) ? "code" : null }, said(record.title, 600)),
    make("p", {}, stateOf(record.status), record.code ? ` (${clean(record.code)})` : ""),
    record.message ? make("p", { class: "problem" }, said(record.message, 1200)) : null,
    record.message_to_user ? make("p", { class: "why" }, said(record.message_to_user, 600)) : null,
    recordHead(record),
    qualityFacts(record.quality),
    picture ? [make("h3", {}, "Result"), picture.element] : keptRows(record),
    picture ? null : nodesFound(context, record),
    argumentFacts(record),
    record.attempts.length ? make("h3", {}, attemptsTitle(record)) : null,
    record.attempts.length ? attemptsList(record) : null,
    record.query && record.query !== record.title ? block("Query text", record.query) : null,
    ran(record),
    record.models.length ? make("h3", {}, "Language models") : null,
    make("ul", {}, record.models.map(modelOf)),
    notesList(record.notes),
    chainFacts(record),
  );
  return { element, resize: () => picture?.resize() };
}
