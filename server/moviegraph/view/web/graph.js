// Reads the paths of a traversal into a graph: nodes by distance from the start, and edges.

const MOST_MIDDLES = 120;

function keyOf({ kind, id, name }) {
  return id === null || id === undefined ? `${kind}=${name}` : `${kind}#${id}`;
}

// Returns a path, given as steps of kind, id, name, edge and forward, as it is drawn.
function readPath(steps) {
  return {
    keys: steps.map(keyOf),
    ids: steps.map(step => step.id),
    names: steps.map(step => String(step.name ?? "")),
    kinds: steps.map(step => clean(step.kind)),
    hops: steps.slice(1).map(({ edge, forward }) => ({ table: String(edge), forward })),
  };
}

function readRecords(data, paths, most) {
  const score = data.columns.indexOf("Score");
  const via = data.columns.indexOf("Via");
  const records = new Map();
  data.rows.slice(0, most).forEach((row, index) => {
    const key = keyOf({ kind: row[0], id: row[1] });
    const record = records.get(key) ?? {
      key,
      kind: clean(row[0]),
      id: row[1],
      name: String(row[2] ?? ""),
      rank: records.size + 1,
      score: row[score],
      hops: row[score + 1],
      more: data.columns.slice(3, score).map((name, at) => [name, row[3 + at]]),
      text: row[via + 1],
      via: [],
      ways: [],
    };
    record.via.push(row[via]);
    record.ways.push(...(paths?.[index] ?? []).map(readPath));
    records.set(key, record);
  });
  return [...records.values()];
}

function addEdge(edges, near, far, { table, forward }) {
  const [from, to] = forward ? [near, far] : [far, near];
  edges.set(`${from}>${table}>${to}`, { from, to, table, near, far });
}

// Returns nodes and edges; what would be too many to see is counted in `undrawn`.
function readGraph(records) {
  const nodes = new Map();
  const edges = new Map();
  let middles = 0;
  let undrawn = 0;
  for (const record of records)
    nodes.set(record.key, { ...record, record, layer: Infinity, passing: [] });
  for (const record of records)
    for (const way of record.ways) {
      const { keys } = way;
      const fresh = new Set(keys.filter(key => !nodes.has(key)));
      if (middles + fresh.size > MOST_MIDDLES) {
        undrawn += 1;
        continue;
      }
      middles += fresh.size;
      keys.forEach((key, at) => {
        const named = { key, kind: way.kinds[at], id: way.ids[at], name: way.names[at] };
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
