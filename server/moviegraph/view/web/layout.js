// Places the nodes of a graph: a column for each distance from the start, neighbours level.

const WIDE = { row: 38, height: 30, least: 112, most: 300, gap: 48 };
const NARROW = { row: 50, height: 42, least: 100, most: 232, gap: 26 };
const TRUNK = 20;
const GAP = 150;

function columnsOf(graph) {
  const columns = [];
  for (const node of graph.nodes.values()) (columns[node.layer] ??= []).push(node);
  return Array.from(columns, column => column ?? []);
}

function neighbours(graph) {
  const lists = new Map([...graph.nodes.keys()].map(key => [key, []]));
  for (const { near, far } of graph.edges) {
    lists.get(near).push(graph.nodes.get(far));
    lists.get(far).push(graph.nodes.get(near));
  }
  return lists;
}

// Moves each node to the mean of its neighbours, then apart again, as far as they overlap.
function settle(column, near, row) {
  const wish = node => {
    const placed = near.get(node.key).filter(each => each.y !== undefined);
    return placed.length ? placed.reduce((sum, each) => sum + each.y, 0) / placed.length : 0;
  };
  const wanted = new Map(column.map(node => [node, wish(node)]));
  column.sort((one, other) => wanted.get(one) - wanted.get(other));
  let lowest = 0;
  for (const node of column) {
    node.y = Math.max(wanted.get(node), lowest);
    lowest = node.y + row;
  }
  const slip = column.reduce((sum, node) => sum + node.y - wanted.get(node), 0) / column.length;
  const up = Math.min(Math.max(0, slip), column[0].y);
  for (const node of column) node.y -= up;
}

function place(graph, width) {
  const columns = columnsOf(graph);
  const near = neighbours(graph);
  const narrow = width < 480;
  const usual = narrow ? NARROW : WIDE;
  const size = { ...usual, row: usual.row + (graph.named ? 16 : 0) };
  const above = narrow && columns.length > (graph.above ? 1 : 2) && columns[0].length <= 3;
  const last = columns.at(-1);
  last.sort((one, other) => (one.record?.rank ?? 1e9) - (other.record?.rank ?? 1e9));
  last.forEach((node, at) => (node.y = at * size.row));
  for (let at = columns.length - 2; at >= (above ? 1 : 0); at -= 1)
    if (columns[at].length) settle(columns[at], near, size.row);
  const top = above ? columns[0].length * size.row + 6 : 0;
  if (above) {
    for (const node of graph.nodes.values()) node.y = (node.y ?? 0) + top;
    columns[0].forEach((node, at) => (node.y = at * size.row));
  }
  const most = graph.gap ?? GAP;
  return { ...spread(columns, width, size, above, most), columns, narrow, above, size };
}

function spread(columns, width, size, above, most) {
  const beside = above ? columns.slice(1) : columns;
  const left = above ? TRUNK : 0;
  const room = width - left;
  const gaps = beside.length - 1;
  const wishes = beside.map(column => wished(column, size));
  const wanted = wishes.reduce((sum, wish) => sum + wish, 0);
  const scale = Math.min(1, (room - gaps * size.gap) / wanted);
  const widths = wishes.map(wish => Math.max(size.least, wish * scale));
  const used = widths.reduce((sum, wide) => sum + wide, 0);
  const gap = Math.max(size.gap, Math.min(most, (room - used) / Math.max(1, gaps)));
  let x = left;
  beside.forEach((column, at) => {
    for (const node of column) [node.x, node.wide] = [x, widths[at]];
    x += widths[at] + gap;
  });
  if (above) for (const node of columns[0]) [node.x, node.wide] = [0, Math.min(room, size.most)];
  const lowest = Math.max(...columns.flat().map(node => node.y));
  return { width: Math.max(x - gap, left), height: lowest + size.height };
}

// Returns how wide a column would like to be, for its longest name to be read whole.
function wished(column, size) {
  const letters = node => node.name.length + (node.badge?.length ?? 0);
  const longest = Math.max(6, ...column.map(letters));
  return Math.max(size.least, Math.min(size.most, 72 + longest * 7.2));
}

// Returns the curve of an edge from the nearer to the further node, its arrow, and where its
// name may stand.
function route(edge, graph, size, above) {
  const near = graph.nodes.get(edge.near);
  const far = graph.nodes.get(edge.far);
  const middle = size.height / 2 + (edge.shift ?? 0); // of several edges between the same two
  const [y, to] = [near.y + middle, far.y + middle];
  const forward = edge.to === edge.far;
  const arrow = (x, height, right) => `M${x} ${height}l${right ? -7 : 7} -4v8z`;
  if (above && near.layer === 0 && far.layer === 1) {
    const down = near.y + size.height;
    const line = `M8 ${down}V${to - 8}Q8 ${to} ${far.x - 1} ${to}`;
    return { line, arrow: forward ? arrow(far.x, to, true) : `M8 ${down}l-4 7h8z` };
  }
  if (near.layer === far.layer) {
    const right = near.x + near.wide;
    const line = `M${right} ${y}C${right + 30} ${y} ${right + 30} ${to} ${right} ${to}`;
    const name = [right + 28, (y + to) / 2, "start"];
    return { line, arrow: arrow(right, forward ? to : y, false), name };
  }
  const right = near.layer < far.layer;
  const start = right ? near.x + near.wide : near.x;
  const end = right ? far.x : far.x + far.wide;
  const bend = (end - start) / 2;
  const line = `M${start} ${y}C${start + bend} ${y} ${end - bend} ${to} ${end} ${to}`;
  const name = [end - 14, y < to ? to + 13 : to - 5, "end"];
  return { line, arrow: forward ? arrow(end, to, right) : arrow(start, y, !right), name };
}
