// What is known of one thing that was chosen, and its whole record where the host fetches it.

const MOST_WAYS = 12;

function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const fact = ([name, value]) =>
    make("div", {}, make("dt", {}, clean(name)), make("dd", {}, value));
  return make("dl", { class: "facts" }, known.map(fact));
}

function wayLine(shape, way) {
  const hop = ({ table, forward }) =>
    make("span", { class: "hop" }, forward ? `—${clean(table)}→` : `←${clean(table)}—`);
  const stop = (name, at) =>
    make("span", { class: "stop" }, glyph(shape.kinds.indexOf(way.kinds?.[at])), " ", said(name));
  const step = (name, at) => [at ? hop(way.hops[at - 1]) : null, " ", stop(name, at), " "];
  return make("li", { class: "way" }, way.names.flatMap(step));
}

function waysList(shape, ways) {
  const more = ways.length - MOST_WAYS;
  return [
    make("ul", { class: "ways" }, ways.slice(0, MOST_WAYS).map(way => wayLine(shape, way))),
    more > 0 ? quiet(`and ${plural(more, "more path")}`) : null,
  ];
}

// A host that keeps the paths of a result to itself leaves what Via says.
function waysOf(shape, record) {
  return record.ways.length ? waysList(shape, record.ways) : said(record.via.join("; "), 1200);
}

function counted(counts) {
  return Object.entries(counts).map(([name, count]) => `${name} ${count}`).join(", ");
}

// Shows an answer of get_records: columns by name, and the edges counted by table.
function wholeRecord(answer) {
  const { columns = [], rows = [] } = answer.structuredContent ?? {};
  if (answer.isError || !rows.length) return make("p", {}, errorText(answer));
  const value = cell => (cell !== null && typeof cell === "object" ? counted(cell) : cell);
  const named = row =>
    columns.slice(0, 40).map((name, at) => [name, said(value(row[at]), LONGEST_TEXT)]);
  return make("div", {}, rows.slice(0, 3).map(row => facts(named(row))));
}

function errorText(answer) {
  const error = answer.structuredContent?.error;
  if (error) return clean(`${error.code}: ${error.message} ${error.hint ?? ""}`, LONGEST_TEXT);
  const texts = (answer.content ?? []).filter(part => part?.type === "text").map(part => part.text);
  return clean(texts.join("\n") || "There is nothing to show.", LONGEST_TEXT);
}

function recordButton(context, kind, which) {
  if (!context.callTool || !kind) return null;
  const place = make("div", { class: "whole" });
  const read = async () => {
    button.disabled = true;
    place.replaceChildren(quiet("Reading…"));
    try {
      const answer = await context.callTool("get_records", { kind, ...which, detail: "full" });
      place.replaceChildren(wholeRecord(answer));
      button.remove();
      announce("The full record is shown.");
    } catch (error) {
      place.replaceChildren(quiet(clean(error?.message ?? "The host did not fetch it.", 400)));
      button.disabled = false;
    }
  };
  const button = plain("action", read, "Read the full record");
  return make("div", {}, button, place);
}

function heading(shape, kind, name) {
  const label = kind ? make("span", { class: "kind" }, clean(kind)) : null;
  return make("h2", {}, glyph(shape.kinds.indexOf(kind)), " ", said(name), " ", label);
}

function recordFacts(record) {
  const own = ["rank", "score", "hops", "id"].map(name => [name, clean(record[name])]);
  return facts([...own, ...record.more.map(([name, value]) => [name, clean(value)])]);
}

function whichOf({ id, name }) {
  return Number.isInteger(id) ? { ids: [id] } : { names: [name] };
}

function nodeDetails(context, node) {
  const { record } = node;
  const passing = node.layer ? "Paths through this node" : "Start of the paths";
  const why = record ? "Why it was found" : passing;
  const ways = node.passing.map(each => each.way);
  const ends = new Set(node.passing.map(each => each.record));
  const begins = make("p", {}, `${plural(ends.size, "record")} reached from here.`);
  return [
    heading(context.shape, node.kind, node.name),
    record ? recordFacts(record) : null,
    record?.text ? make("p", { class: "text" }, said(record.text, LONGEST_TEXT)) : null,
    make("h3", {}, why),
    record ? waysOf(context.shape, record) : node.layer ? waysList(context.shape, ways) : begins,
    recordButton(context, node.kind, whichOf(node)),
  ];
}

function notesList(notes) {
  if (!notes?.length) return null;
  const lines = notes.slice(0, 30).map(note => make("li", {}, said(note, 1200)));
  const attributes = { class: "notes", "aria-label": "Notes" };
  return make("section", attributes, make("h3", {}, "Notes"), make("ul", {}, lines));
}
