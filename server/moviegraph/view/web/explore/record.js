// One record: its columns and text, and its links as a picture in which one walks on.

const MOST_LINKS = 12;
const ROOM_BESIDE = 900; // pixels from which on links stand at both sides of their record

// Returns an edge table of a record as it is seen from there: the other kind, and the direction.
function edgesOf(kind, counts) {
  const { edges } = page.shape;
  const seen = table => {
    const pair = edges[table].find(each => each.includes(kind)) ?? [];
    const forward = pair[0] === kind;
    return { table, forward, other: forward ? pair[1] : pair[0], count: counts[table] };
  };
  return Object.keys(edges)
    .filter(table => counts[table] > 0)
    .map(seen);
}

async function readLinks(kind, id, edges) {
  const read = async edge => {
    const values = { start_kind: kind, start: [id], path: [edge.table] };
    const result = await callTool("graph_traverse", values);
    if (result.isError) throw new Error(errorText(result));
    const paths = result._meta?.["moviegraph/paths"] ?? [];
    const rows = result.structuredContent.rows.slice(0, MOST_LINKS);
    return rows.map(([kind, id, name], at) => {
      const forward = paths[at]?.[0]?.at(-1)?.forward ?? edge.forward;
      return {
        key: keyOf({ kind, id, name }),
        kind,
        id,
        name: String(name ?? ""),
        table: edge.table,
        forward,
      };
    });
  };
  return (await Promise.all(edges.map(read))).flat();
}

// Places the record first, or in the middle if there is room, and its links around it.
function linksGraph(center, links, width) {
  const tables = [...new Set(links.map(link => link.table))];
  const beside = width > ROOM_BESIDE && links.length > 8 && tables.length > 1;
  const nodes = new Map();
  const edges = [];
  const pairs = new Map();
  const middle = {
    ...center,
    layer: beside ? 1 : 0,
    role: "start",
    passing: [],
    told: `${center.name}, ${center.kind}`,
  };
  const sizes = new Map(
    tables.map(table => [table, links.filter(link => link.table === table).length]),
  );
  const right = new Set();
  let more = 0; // at the right than at the left
  for (const table of tables.toSorted((one, other) => sizes.get(other) - sizes.get(one))) {
    if (!beside || more <= 0) right.add(table);
    more += right.has(table) ? sizes.get(table) : -sizes.get(table);
  }
  const left = link => !right.has(link.table);
  for (const link of links.toSorted((one, other) => left(other) - left(one))) {
    const known = nodes.get(link.key);
    const itself = link.key === center.key;
    const told = `${link.name}, ${link.kind}, ${link.table}`;
    const node = itself
      ? middle
      : (known ?? {
          ...link,
          layer: left(link) ? 0 : beside ? 2 : 1,
          role: "passed",
          passing: [],
          told,
        });
    if (!known && !itself) nodes.set(link.key, node);
    const [near, far] = node.layer < middle.layer ? [link.key, center.key] : [center.key, link.key];
    const [from, to] = link.forward ? [center.key, link.key] : [link.key, center.key];
    const many = pairs.get(link.key) ?? 0;
    pairs.set(link.key, many + 1);
    edges.push({ near, far, from, to, table: link.table, shift: many * 7 });
    const passed = { keys: [near, far], way: { hops: [{ table: link.table }] } };
    if (!itself) node.passing.push(passed);
  }
  const before = [...nodes.values()].filter(node => node.layer < middle.layer);
  const after = [...nodes.values()].filter(node => node.layer > middle.layer);
  return {
    nodes: new Map([...before, middle, ...after].map(node => [node.key, node])),
    edges,
    above: true,
  };
}

function placeOf({ kind, id }) {
  return `#/record/${encodeURIComponent(kind)}/${id}`;
}

function walk(node) {
  page.walked = true;
  location.hash = placeOf(node);
}

// A picture that is drawn again where its width changes.
function drawn(pane, key, build, choose) {
  let width = 0;
  const resize = () => {
    if (!pane.clientWidth || pane.clientWidth === width) return;
    width = pane.clientWidth;
    const { graph, center } = build(width);
    const focused = pane.contains(document.activeElement);
    const { light, narrow } = drawPicture(pane, page.shape, graph, choose);
    const kinds = [...graph.nodes.values()].map(node => node.kind);
    const isTold = graph.named && !narrow; // by the names along the edges
    key.replaceChildren(...(isTold ? [] : [legend(page.shape, kinds, tablesOf(graph))]));
    if (!center) return;
    light(center);
    pane.scrollTop = center.y - pane.clientHeight / 2;
    if (focused || page.walked) center.button.focus({ preventScroll: true });
    page.walked = false;
  };
  return { resize };
}

function trailLine(center) {
  const at = page.trail.findIndex(each => each.key === center.key);
  page.trail = at < 0 ? [...page.trail, center].slice(-8) : page.trail.slice(0, at + 1);
  if (page.trail.length < 2) return null;
  const step = each => [
    make(
      "a",
      { class: "link", href: placeOf(each) },
      glyph(page.shape.kinds.indexOf(each.kind)),
      " ",
      said(each.name, 60),
    ),
    each === page.trail.at(-1) ? null : make("span", { "aria-hidden": "true" }, " › "),
  ];
  return make("nav", { class: "trail", "aria-label": "The way here" }, page.trail.flatMap(step));
}

function allInSql(kind, id, edge) {
  const other = kindOf(edge.other);
  const start = kindOf(kind);
  const match = edge.forward ? "s-(e)->n" : "n-(e)->s";
  const tables = `${other.name} AS n, ${edge.table} AS e, ${start.name} AS s`;
  return [
    `SELECT n.${other.key}, n.${other.label}`,
    `FROM ${tables}`,
    `WHERE MATCH(${match}) AND s.${start.key} = ${id}`,
    `ORDER BY n.${other.label}`,
  ].join("\n");
}

function edgeLines(kind, id, edges) {
  const line = edge => {
    const place = page.shape.kinds.indexOf(edge.other);
    const name = [
      glyph(place),
      " ",
      said(edge.table),
      " ",
      make("span", { class: "badge" }, edge.count.toLocaleString("en")),
    ];
    const values = { sql: allInSql(kind, id, edge) };
    const isPlain = page.shape.edges[edge.table].length === 1 && edge.other !== kind;
    return make("li", {}, isPlain && page.tabs.sql ? link("sql", values, name) : name);
  };
  return make("ul", { class: "edges" }, edges.map(line));
}

function columnsOfRecord(kind, row) {
  const own = Object.keys(row).filter(name => ![kind.label, kind.text, "Edges"].includes(name));
  return facts(own.map(name => [name, row[name] === null ? null : said(row[name], 1200)]));
}

async function showRecord(kind, id) {
  const result = await callTool("get_records", { kind: kind.name, ids: [id] });
  if (result.isError) return [refusal(result)];
  const { columns, rows, notes } = result.structuredContent;
  const row = Object.fromEntries(columns.map((name, at) => [name, rows[0][at]]));
  const center = { kind: kind.name, id, name: String(row[kind.label] ?? "") };
  center.key = keyOf(center);
  const edges = edgesOf(kind.name, row.Edges ?? {});
  const pane = make("div", {
    class: "pane",
    role: "group",
    "aria-label": "Links: arrow keys move, Enter walks there",
  });
  const key = make("div");
  const many = edges.some(edge => edge.count > MOST_LINKS);
  const more = many ? quiet(`At most ${MOST_LINKS} links of each edge table are drawn.`) : null;
  const none = quiet("Nothing is linked to this record.");
  const stage = make("div", { class: "stage" }, edges.length ? [key, pane, more] : none);
  if (edges.length) {
    pane.append(quiet("Reading the links…"));
    fill(pane, async () => {
      const links = await readLinks(kind.name, id, edges);
      const build = width => {
        const graph = linksGraph(center, links, width);
        return { graph, center: graph.nodes.get(center.key) };
      };
      const choose = node => (node.key === center.key ? null : walk(node));
      page.view = drawn(pane, key, build, choose);
      return [];
    });
  }
  const alike = kind.vector && Object.hasOwn(page.shape.tools, "semantic_search");
  announce(`${center.name}, ${kind.name}`);
  return [
    trailLine(center),
    make(
      "h1",
      {},
      glyph(page.shape.kinds.indexOf(kind.name)),
      " ",
      said(center.name),
      " ",
      make("span", { class: "kind" }, said(kind.name)),
    ),
    make(
      "div",
      { class: "record" },
      make(
        "article",
        {},
        kind.text ? make("p", { class: "text" }, said(row[kind.text], LONGEST_TEXT)) : null,
        stage,
      ),
      make(
        "aside",
        { class: "details", "aria-label": "Details" },
        columnsOfRecord(kind, row),
        edges.length ? [make("h3", {}, "Links"), edgeLines(kind.name, id, edges)] : [],
        alike
          ? make(
              "p",
              {},
              link("search", { kind: kind.name, like: `${kind.name}:${id}` }, "More like this"),
            )
          : null,
      ),
    ),
    notesList(notes),
  ];
}

function recordPlace(_, [kindName, text]) {
  const kind = kindOf(kindName);
  if (!kind || !/^-?\d{1,16}$/.test(text ?? "")) return problem("There is no such record.");
  const element = make("section", { class: "whole-record" }, quiet("Reading…"));
  fill(element, () => showRecord(kind, Number(text)));
  return element;
}
