// Search: a question, the kind of record it is about, and for each hit why it was found.

const WAYS = {
  hybrid_search: "Everything",
  semantic_search: "Meaning",
  fulltext_search: "Words",
};
const NARROWING = {
  like: ["Like", "names of records to resemble, separated by ;"],
  only: ["Only", "linked to, such as a genre"],
  exclude: ["Without", "names to leave out"],
  where: ["Where", "a condition, such as Id > 100"],
};
const REASONS = new Set([
  "Similarity",
  "Rank",
  "Score",
  "SemanticRank",
  "FulltextRank",
  "GraphRank",
  "LinkedTo",
]);
const MOST_EXAMPLES = 6;

function choiceOf(name, value, chosen, ...children) {
  const input = make("input", {
    type: "radio",
    name,
    value,
    class: "unseen",
    checked: value === chosen,
  });
  return make("label", { class: "pill" }, input, make("span", {}, ...children));
}

function kindChoices(chosen) {
  const { kinds } = page.shape;
  const pill = (kind, at) =>
    choiceOf(
      "kind",
      kind,
      chosen,
      glyph(at),
      " ",
      said(kind),
      make("span", { class: "badge" }, ` ${countOf(kind)}`),
    );
  return make(
    "fieldset",
    { class: "pills" },
    make("legend", { class: "unseen" }, "Kind of record"),
    kinds.map(pill),
  );
}

function searchForm(asked, kind, way) {
  const { tools } = page.shape;
  const query = { name: "q", type: "search", value: asked.get("q") ?? "", autocomplete: "off" };
  const label = "A description, a name, words or a question";
  const ways = Object.keys(WAYS).filter(tool => Object.hasOwn(tools, tool));
  const fields = Object.keys(NARROWING).filter(name =>
    ways.some(tool => tools[tool].includes(name)),
  );
  const field = name => {
    const [title, placeholder] = NARROWING[name];
    return make(
      "label",
      {},
      title,
      make("input", { name, placeholder, value: asked.get(name) ?? "" }),
    );
  };
  const narrowed = fields.some(name => asked.get(name));
  const form = make(
    "form",
    { class: "search", role: "search" },
    make(
      "div",
      { class: "ask" },
      make("input", { ...query, placeholder: label, "aria-label": label }),
      make("button", { class: "primary" }, "Search"),
    ),
    kindChoices(kind),
    make(
      "details",
      { class: "more", open: narrowed },
      make("summary", {}, "Narrow the search"),
      make(
        "div",
        { class: "filters" },
        fields.map(field),
        make(
          "label",
          {},
          "By",
          make(
            "select",
            { name: "by" },
            ways.map(tool => make("option", { value: tool, selected: tool === way }, WAYS[tool])),
          ),
        ),
      ),
    ),
  );
  const submit = event => {
    event?.preventDefault();
    go("search", Object.fromEntries(new FormData(form)));
  };
  form.addEventListener("submit", submit);
  form.addEventListener("change", event => {
    if (event.target.name === "kind" && (asked.get("q") || asked.get("like"))) submit();
  });
  return form;
}

// Reads names, and ids of the kind itself, out of a field.
function listed(text) {
  const items = text
    .split(";")
    .map(item => item.trim())
    .filter(Boolean);
  return items.map(item => (/^\d{1,15}$/.test(item) ? Number(item) : item));
}

function argumentsOf(asked, kind, way) {
  const values = { kind };
  if (asked.get("q")) values.query = asked.get("q");
  for (const name of page.shape.tools[way])
    if (Object.hasOwn(NARROWING, name) && asked.get(name))
      values[name] = name === "where" ? asked.get(name) : listed(asked.get(name));
  return values;
}

function reasonsOf(hit) {
  const rank = (name, title) => (hit[name] ? [title, ` #${hit[name]}`] : null);
  const links = hit.LinkedTo
    ? ["links", ` #${hit.GraphRank} through ${hit.LinkedTo}`]
    : rank("GraphRank", "links");
  const near =
    hit.Similarity === undefined ? null : ["similarity", ` ${Number(hit.Similarity).toFixed(2)}`];
  const words = hit.Rank === undefined ? null : ["words", `, rank ${hit.Rank}`];
  const reasons = [
    rank("SemanticRank", "meaning"),
    rank("FulltextRank", "words"),
    links,
    near,
    words,
  ];
  const line = ([title, more]) =>
    make("li", { class: `reason ${title}` }, make("b", {}, title), said(more));
  return make(
    "ul",
    { class: "reasons", "aria-label": "Found by" },
    reasons.filter(Boolean).map(line),
  );
}

// The words of the question stand out in a text, wherever one begins with the same letters.
function marked(text, query) {
  const shown = clean(text, LONGEST_TEXT);
  const words = (query.match(/[\p{L}\p{N}]{4,}/gu) ?? []).map(word =>
    word.slice(0, 5).toLowerCase(),
  );
  const part = piece =>
    words.some(word => piece.toLowerCase().startsWith(word)) ? make("mark", {}, piece) : piece;
  return make(
    "bdi",
    { dir: "auto" },
    shown.split(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])(?![\p{L}\p{N}])/u).map(part),
  );
}

function hitLine(kind, hit, query) {
  const own = Object.keys(hit).filter(
    name => !REASONS.has(name) && ![kind.key, kind.label].includes(name),
  );
  const text = own.pop();
  const facts = own.filter(name => hit[name] !== null && hit[name] !== "");
  const fact = name => make("span", { title: clean(name) }, said(hit[name], 60));
  const name = make(
    "a",
    { href: `#/record/${encodeURIComponent(kind.name)}/${hit[kind.key]}` },
    said(hit[kind.label]),
  );
  return make(
    "li",
    { class: "hit" },
    make(
      "h2",
      {},
      glyph(page.shape.kinds.indexOf(kind.name)),
      " ",
      name,
      make("span", { class: "facts-line" }, facts.map(fact)),
    ),
    make("p", { class: "text" }, marked(hit[text] ?? "", query)),
    reasonsOf(hit),
  );
}

function hitsList(kind, result, query) {
  if (result.isError) return [refusal(result)];
  const data = result.structuredContent;
  const hits = data.rows.map(row =>
    Object.fromEntries(data.columns.map((name, at) => [name, row[at]])),
  );
  const lines = hits.map(hit => hitLine(kind, hit, query));
  const links = lines.map(line => line.querySelector("a"));
  rove(links, (at, key) => upDown(links, at, key));
  const more = data.truncated === "rows" ? "best " : "";
  const lead = lines.length ? `${more}${plural(lines.length, "record")}` : "No record was found.";
  announce(lead);
  return [
    make("p", { class: "quiet count" }, `${lead}, ${Math.round(data.elapsed_ms)} ms`),
    make("ol", { class: "hits" }, lines),
    notesList(data.notes),
  ];
}

function examplesList() {
  const { examples } = page.shape.contract;
  const line = example => {
    const { question, query, sql } = example;
    return make("li", {}, link("sql", { sql, query: query ?? "" }, said(question, 200)));
  };
  return examples.slice(0, MOST_EXAMPLES).map(line);
}

function welcome(kind) {
  const { contract } = page.shape;
  const begin = make("section", { class: "schema-pane", "aria-label": "What there is" });
  showSchema(begin, chosen => go("schema", { kind: chosen }));
  const examples = examplesList();
  return [
    make("p", { class: "about" }, said(contract.description, 600)),
    begin,
    examples.length && page.tabs.sql
      ? [make("h3", {}, "Questions, answered in SQL"), make("ul", { class: "examples" }, examples)]
      : null,
  ].flat();
}

function searchPlace(asked) {
  const { kinds, tools } = page.shape;
  const kind = kindOf(asked.get("kind")) ?? kindOf(kinds[0]);
  const known = Object.keys(WAYS).filter(tool => Object.hasOwn(tools, tool));
  const chosen = known.includes(asked.get("by")) ? asked.get("by") : known[0];
  const way = asked.get("q") ? chosen : "semantic_search"; // which needs no text
  const form = known.length ? searchForm(asked, kind.name, chosen) : null; // where none is served
  const results = make("div", { class: "results" });
  const query = asked.get("q") ?? "";
  const isAsked = known.length && (query.trim() || asked.get("like"));
  if (isAsked) {
    results.append(quiet("Searching…"));
    fill(results, async () =>
      hitsList(kind, await callTool(way, argumentsOf(asked, kind.name, way)), query),
    );
  } else results.append(...welcome(kind).filter(Boolean));
  return make("div", { class: isAsked ? "finding" : "landing" }, form, results);
}
