// What is known of one thing that was chosen, and its whole record where the host fetches it.

const MOST_WAYS = 12;

function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return make(
    "dl",
    { class: "facts" },
    known.map(([name, value]) => make("div", {}, make("dt", {}, clean(name)), make("dd", {}, value))),
  );
}

function wayLine(shape, way) {
  const step = (name, at) => [
    at ? make("span", { class: "hop" }, way.hops[at - 1].forward ? `—${clean(way.hops[at - 1].table)}→` : `←${clean(way.hops[at - 1].table)}—`) : null,
    make("span", { class: "stop" }, glyph(shape.kinds.indexOf(way.kinds?.[at])), " ", said(name)),
  ];
  return make("li", { class: "way" }, way.names.flatMap(step));
}

function waysList(shape, ways) {
  const more = ways.length - MOST_WAYS;
  return [
    make("ul", { class: "ways" }, ways.slice(0, MOST_WAYS).map(way => wayLine(shape, way))),
    more > 0 ? make("p", { class: "quiet" }, `and ${plural(more, "further way")}`) : null,
  ];
}

// Shows an answer of get_records: columns by name, and the edges counted by table.
function wholeRecord(answer) {
  const { columns = [], rows = [] } = answer.structuredContent ?? {};
  if (answer.isError || !rows.length) return make("p", {}, errorText(answer));
  return make(
    "div",
    {},
    rows.slice(0, 3).map(row =>
      facts(
        columns.slice(0, 40).map((name, at) => [
          name,
          row[at] !== null && typeof row[at] === "object"
            ? said(Object.entries(row[at]).map(([table, count]) => `${table} ${count}`).join(", "), LONGEST_TEXT)
            : said(row[at], LONGEST_TEXT),
        ]),
      ),
    ),
  );
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
  const button = make("button", { type: "button", class: "action" }, "Read the whole record");
  button.addEventListener("click", async () => {
    button.disabled = true;
    place.replaceChildren(make("p", { class: "quiet" }, "Reading…"));
    try {
      place.replaceChildren(wholeRecord(await context.callTool("get_records", { kind, ...which })));
      button.remove();
      announce("The whole record is shown.");
    } catch (error) {
      place.replaceChildren(make("p", {}, clean(error?.message ?? "The host did not fetch it.", 400)));
      button.disabled = false;
    }
  });
  return make("div", {}, button, place);
}

function heading(shape, kind, name) {
  return make("h2", {}, glyph(shape.kinds.indexOf(kind)), " ", said(name), " ", kind ? make("span", { class: "kind" }, clean(kind)) : null);
}

function nodeDetails(context, node) {
  const { record } = node;
  const ways = node.passing.map(each => each.way);
  const found = record
    ? facts([["Rank", record.rank], ["Score", clean(record.score)], ["Hops", clean(record.hops)], ["Id", clean(record.id)],
        ...record.more.map(([name, value]) => [name, clean(value)])])
    : null;
  const why = record ? "Why it was found" : node.layer ? "On the way to" : "Where the ways begin";
  const ends = [...new Set(node.passing.map(each => each.record))];
  return [
    heading(context.shape, node.kind, node.name),
    found,
    record?.text ? make("p", { class: "text" }, said(record.text, LONGEST_TEXT)) : null,
    make("h3", {}, why),
    record || node.layer
      ? waysList(context.shape, record ? record.ways : ways)
      : make("p", {}, `${plural(ends.length, "record")} reached from here.`),
    recordButton(context, node.kind, record ? { ids: [record.id], detail: "full" } : { names: [node.name], detail: "full" }),
  ];
}

function notesList(notes) {
  if (!notes?.length) return null;
  return make(
    "section",
    { class: "notes", "aria-label": "Notes" },
    make("h3", {}, "Notes"),
    make("ul", {}, notes.slice(0, 30).map(note => make("li", {}, said(note, 1200)))),
  );
}
