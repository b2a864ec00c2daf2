// One record of the journal as a whole: what was asked, tried, decided, run and found.

const MOST_KEYS = 60;

function moment(text) {
  const made = new Date(text);
  return Number.isNaN(made.getTime()) ? clean(text, 40) : made.toLocaleString();
}

function clientOf(client) {
  if (!client) return null;
  const named = [client.name, client.version].filter(Boolean).join(" ") || "unnamed";
  return clean(`${named} over ${client.transport}, protocol ${client.protocol ?? "not told"}`);
}

function modelOf(cost) {
  const tokens = `${plural(cost.prompt_tokens, "token")} in, ${cost.completion_tokens} out`;
  const untold = cost.untold ? `, not told for ${plural(cost.untold, "call")}` : "";
  const told = `${cost.by} ${cost.model ?? ""} to ${cost.purpose}: ${plural(cost.calls, "call")}`;
  return make("li", {}, clean(`${told}, ${tokens}${untold}`, 300));
}

function block(title, text) {
  return text ? [make("h3", {}, title), statement(text)] : [];
}

function ran(record) {
  const others = record.statements.filter(sql => sql !== record.sql);
  return [
    ...block(record.statements.length ? "What ran" : "The guard's rendering", record.sql),
    ...others.flatMap((sql, at) => block(`Ran on the way, ${at + 1} of ${others.length}`, sql)),
  ];
}

function keptRows(record) {
  if (!record.columns.length) return [];
  const title = make("h3", {}, `Rows kept: ${record.rows?.length ?? 0} of ${record.row_count}`);
  const none = "Rows are kept where MOVIEGRAPH_JOURNAL_RESULTS=1 is set when the call is made.";
  if (!record.rows?.length) return record.row_count ? [title, quiet(none)] : [];
  return [title, rowsTable(record.columns, record.rows.slice(0, 100), "Rows kept")];
}

function nodesFound(context, record) {
  if (!record.keys.length) return [];
  const more = record.keys.length - MOST_KEYS;
  const line = ([kind, id]) =>
    make("li", {}, glyph(context.shape.kinds.indexOf(kind)), ` ${clean(kind)} ${clean(id)}`);
  return [
    make("h3", {}, "Nodes found"),
    make("ul", { class: "legend" }, record.keys.slice(0, MOST_KEYS).map(line)),
    more > 0 ? quiet(`and ${plural(more, "further node")}`) : null,
  ];
}

function recordHead(record) {
  const cut = record.truncated ? `, cut by ${record.truncated}` : "";
  return facts([
    ["when", moment(record.created)],
    ["tool", clean(record.tool)],
    ["strategy", record.strategy_id ? said(record.strategy_id) : null],
    ["took", `${record.elapsed_ms} ms`],
    ["rows", `${record.row_count}${cut}`],
    ["owner", said(record.owner)],
    ["client", clientOf(record.client)],
    ["record", record.number],
    ["id", clean(record.id)],
  ]);
}

// A walk whose rows were kept is drawn as its caller could see it, where its contract is known.
function walked(context, record) {
  const known = record.contract_hash === context.shape.hash && record.columns.includes("Via");
  if (!known || !record.rows?.length) return null;
  const data = { ...record, notes: [] };
  let given = {};
  try {
    given = JSON.parse(record.given);
  } catch {
    // What was given was cut; the picture begins with the first kind.
  }
  return traversalView({ ...context, arguments: given }, data);
}

function recordView(context, record) {
  const picture = walked(context, record);
  const asked = record.question ?? record.query ?? record.purpose ?? record.tool;
  const element = make(
    "div",
    { class: "view" },
    make("h2", {}, said(asked, 600)),
    make("p", {}, stateOf(record.status), record.code ? ` (${clean(record.code)})` : ""),
    record.message ? make("p", { class: "problem" }, said(record.message, 1200)) : null,
    record.message_to_user ? make("p", { class: "why" }, said(record.message_to_user, 600)) : null,
    recordHead(record),
    qualityFacts(record.quality),
    picture ? [make("h3", {}, "What was found"), picture.element] : null,
    record.attempts.length ? make("h3", {}, "Attempts, and what the guard decided") : null,
    record.attempts.length ? attemptsList(record) : block("Given", record.given),
    record.query ? block("Text behind @q, or of the search", record.query) : null,
    ran(record),
    picture ? null : keptRows(record),
    picture ? null : nodesFound(context, record),
    record.models.length ? make("h3", {}, "Language models") : null,
    make("ul", {}, record.models.map(modelOf)),
    notesList(record.notes),
    make("h3", {}, "In the chain"),
    facts([
      ["hash", clean(record.hash)],
      ["contract", clean(record.contract_hash)],
      ["data", clean(record.content_hash)],
    ]),
  );
  return { element, resize: () => picture?.resize() };
}
