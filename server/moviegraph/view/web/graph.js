// Reads the ways of a traversal into a graph: nodes by distance from the start, and edges.

const ARROW = / (?:-\[([^\][]+)\]->|<-\[([^\][]+)\]-) /;
const MOST_MIDDLES = 120;

function readWay(text) {
  const parts = text.split(ARROW);
  const way = { names: [parts[0]], hops: [], text };
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

function readRecords(shape, data, startKind, most) {
  const score = data.columns.indexOf("Score");
  const via = data.columns.indexOf("Via");
  const found = new Map();
  data.rows.slice(0, most).forEach(row => {
    const key = `${row[0]}#${row[1]}`;
    const record = found.get(key) ?? {
      key,
      kind: clean(row[0]),
      id: row[1],
      name: String(row[2] ?? ""),
      rank: found.size + 1,
      score: row[score],
      hops: row[score + 1],
      more: data.columns.slice(3, score).map((name, at) => [name, row[3 + at]]),
      text: row[via + 1],
      ways: [],
    };
    for (const way of readWays(row[via], record.name))
      record.ways.push({ ...way, kinds: kindsAlong(shape, way.hops, startKind, record.kind) });
    found.set(key, record);
  });
  return [...found.values()];
}

function addEdge(edges, near, far, { table, forward }) {
  const [from, to] = forward ? [near, far] : [far, near];
  edges.set(`${from}>${table}>${to}`, { from, to, table, near, far });
}

// Returns nodes and edges; what would be too many to see is counted in `undrawn`.
function readGraph(records) {
  const nodes = new Map();
  const edges = new Map();
  const owners = new Map();
  let middles = 0;
  let undrawn = 0;
  for (const record of records) {
    const named = `${record.kind}=${record.name}`;
    owners.set(named, owners.has(named) ? null : record.key);
    nodes.set(record.key, { ...record, record, layer: Infinity, passing: [] });
  }
  const keyOf = (kind, name) => owners.get(`${kind}=${name}`) ?? `${kind}=${name}`;
  for (const record of records)
    for (const way of record.ways) {
      const keys = way.names.map((name, at) => keyOf(way.kinds[at], name));
      keys[keys.length - 1] = record.key;
      const fresh = new Set(keys.filter(key => !nodes.has(key)));
      if (middles + fresh.size > MOST_MIDDLES) {
        undrawn += 1;
        continue;
      }
      middles += fresh.size;
      keys.forEach((key, at) => {
        const named = { key, kind: way.kinds[at], name: way.names[at] };
        const node = nodes.get(key) ?? { ...named, layer: Infinity, passing: [] };
        node.layer = Math.min(node.layer, at);
        node.passing.push({ way, record, keys });
        nodes.set(key, node);
        if (at > 0) addEdge(edges, keys[at - 1], key, way.hops[at - 1]);
      });
    }
  const furthest = Math.max(1, ...[...nodes.values()].map(n => n.layer).filter(Number.isFinite));
  for (const node of nodes.values()) if (!Number.isFinite(node.layer)) node.layer = furthest;
  return { nodes, edges: [...edges.values()], undrawn };
}
