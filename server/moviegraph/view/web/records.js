// One record of the journal as a whole: what was asked, tried, decided, run and found.

const MOST_KEYS = 60;
const ARROW = / (?:-\[([^\][]+)\]->|<-\[([^\][]+)\]-) /;

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

// Records of earlier versions have no paths: the names and arrows in their Via are read instead.
function readWay(text) {
  const parts = text.split(ARROW);
  const way = { names: [parts[0]], hops: [] };
  for (let at = 1; at + 2 < parts.length; at += 3) {
    way.hops.push({ table: parts[at] ?? parts[at + 1], forward: parts[at] !== undefined });
    way.names.push(parts[at + 2]);
  }
  return way;
}

// A name may hold the sign between two ways: a way is whole once it ends in the node reached.
function readWays(via, last) {
  const ways = [];
  let open = "";
  for (const piece of String(via ?? "").split("; ")) {
    open = open ? `${open}; ${piece}` : piece;
    const way = readWay(open);
    if (way.hops.length && way.names.at(-1) === last) {
      ways.push(way);
      open = "";
    }
  }
  return ways;
}

// Returns the kinds that a hop leads to from a kind, by the edge tables of the contract.
function leads(shape, hop, kind) {
  const pairs = Object.hasOwn(shape.edges, hop.table) ? shape.edges[hop.table] : [];
  return pairs
    .filter(([from, to]) => (hop.forward ? from : to) === kind)
    .map(([from, to]) => (hop.forward ? to : from));
}

// An edge may lead to several kinds: those are taken from which the way's end can be reached.
function kindsAlong(shape, hops, first, last) {
  const reach = [[first]];
  for (const hop of hops)
    reach.push([...new Set(reach.at(-1).flatMap(kind => leads(shape, hop, kind)))]);
  const kinds = [last];
  for (let at = hops.length - 1; at > 0; at -= 1)
    kinds.unshift(reach[at].find(kind => leads(shape, hops[at], kind).includes(kinds[0])) ?? null);
  return [first, ...kinds];
}

function pathsOfVia(shape, record, startKind) {
  const via = record.columns.indexOf("Via");
  const owners = new Map();
  for (const [kind, id, name] of record.rows) {
    const named = `${kind}=${name}`;
    owners.set(named, owners.has(named) && owners.get(named) !== id ? null : id);
  }
  const stepsOf = (way, [last, id]) => {
    const kinds = kindsAlong(shape, way.hops, startKind, last);
    return way.names.map((name, at) => ({
      kind: kinds[at],
      id: at === way.hops.length ? id : owners.get(`${kinds[at]}=${name}`),
      name,
      edge: way.hops[at - 1]?.table,
      forward: way.hops[at - 1]?.forward,
    }));
  };
  return record.rows.map(row => readWays(row[via], row[2]).map(way => stepsOf(way, row)));
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
  const start = given.start_kind ?? context.shape.kinds[0];
  return traversalView(context, data, record.paths ?? pathsOfVia(context.shape, record, start));
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
