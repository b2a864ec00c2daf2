"""A draft for a source: a contract and a column map, each decision with what changes it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from moviegraph.contract.drafted_examples import example_files
from moviegraph.contract.loader import contract_of
from moviegraph.contract.model import Column, Contract, EdgeTable, NodeTable, Pair
from moviegraph.contract.validation import RESERVED, UNRESERVED_STATEMENTS
from moviegraph.engines.embedded.source_staging import Staging
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ENDS, ColumnMap, End, LinkColumn
from moviegraph.loading.column_profile import ColumnProfile, TableProfile
from moviegraph.loading.contract_draft import (
    contract_toml,
    quoted,
    unique_identifier,
    with_checksum,
    words_of,
)
from moviegraph.loading.relations import (
    ID_WORDS,
    Link,
    TableRelations,
    find_name_links,
    find_relations,
)
from moviegraph.loading.row_validation import Rejects
from moviegraph.loading.staged_source import StagedSource, StagedTable
from moviegraph.loading.table_draft import (
    MAX_FLAG_VALUES,
    TableChoices,
    TableDraft,
    TableDrafting,
    ValueKind,
    chosen_column,
    chosen_key,
    described,
    is_same_thing,
    item_words,
    kind_of_title,
    new_column,
    stored_type,
    table_notes,
    thing_of,
    value_node,
)
from moviegraph.names import singular
from moviegraph.text import one_line, plural, shorten

MAX_KINDS = 12
MAX_SHOWN = 20
MIN_PREFIXED = 4
SHARED = 0.3  # of the values of two columns of the same things, in the smaller one
VAGUE = frozenset("type status category kind class level size group code note state".split())
VERB = re.compile(r"\w+_(to|by|of|with|from|at|in|bought|\w+ed)|(has|is)_\w+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DraftChoices:
    """What a person decided about a draft; None, () and False leave it to the draft.

    Columns of a source of several tables are named with their table: orders.id.

    Attributes:
        kind: The node table of the rows of the one table.
        key: The columns that identify rows.
        name: The columns of their names; + joins multiple.
        text: The columns of their texts.
        kinds: The columns whose values become nodes of their own.
        nodes: The tables of links whose rows become nodes.
        join: Join tables of the same columns whose names differ in numbers or dates.
        vectors: Embed texts of any number.
    """

    kind: str | None = None
    key: tuple[str, ...] = ()
    name: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    kinds: tuple[str, ...] | None = None
    nodes: tuple[str, ...] = ()
    join: bool = True
    vectors: bool = False

    def of_table(self, table: TableProfile, *, is_only: bool) -> TableChoices:
        """Return the choices for one table."""

        def columns(named: Sequence[str]) -> list[str]:
            start = f"{table.table.name}.".lower()
            of_table = [name[len(start) :] for name in named if name.lower().startswith(start)]
            return of_table or (list(named) if is_only else [])

        key, text, name = columns(self.key), columns(self.text), columns(self.name)
        return TableChoices(
            next(iter(key), None),
            tuple(name[0].split("+")) if name else (),
            next(iter(text), None),
            None if self.kinds is None else tuple(columns(self.kinds)),
            self.vectors,
        )

    def of_tables(self, tables: Sequence[TableProfile]) -> "DraftChoices":
        """Return the choices with the full names of tables: birds.csv.id for birds.id.

        Raises:
            SourceError: A choice names no table of several.
        """
        if len(tables) == 1:
            return self
        known = {table.table.name.lower(): table.table.name for table in tables}
        titles = [table.table.title.lower() for table in tables]
        for title, table in zip(titles, tables, strict=True):
            if titles.count(title) == 1:
                known.setdefault(title, table.table.name)

        def full(choice: str) -> str:
            start = max(
                (n for n in known if choice.lower().startswith(f"{n}.")), key=len, default=""
            )
            if not start:
                raise SourceError(
                    f"{choice.removesuffix('.')} names none of {len(tables)} tables.",
                    hint=f"Write TABLE.COLUMN. Tables: {', '.join([*known.values()][:MAX_SHOWN])}.",
                )
            return known[start] + choice[len(start) :]

        if self.kind:
            full(f"--kind {self.kind}")
        named = {name: getattr(self, name) or () for name in ("key", "name", "text", "kinds")}
        columns = {name: tuple(map(full, choices)) for name, choices in named.items() if choices}
        nodes = tuple(full(f"{table}.")[:-1] for table in self.nodes)
        return replace(self, nodes=nodes, **columns)


LEFT_TO_THE_DRAFT = DraftChoices()


@dataclass(frozen=True, slots=True)
class GraphDraft:
    """A draft.

    Attributes:
        contract: The contract, with its files.
        map_toml: The text of the column map.
        decisions: One line for each, with the flag or the key of the map that changes it.
        left_out: The columns and tables that are not loaded, and why.
        summary: What fills what, line by line.
        embedded: How many texts have a vector.
    """

    contract: Contract
    map_toml: str
    decisions: tuple[str, ...]
    left_out: Mapping[str, str]
    summary: tuple[tuple[str, str], ...]
    embedded: int


def draft_graph(
    staged: StagedSource, source: str, choices: DraftChoices, how: ColumnMap, rejects: Rejects
) -> tuple[StagedSource, GraphDraft]:
    """Return the draft for a source, and the source under its column map.

    Raises:
        SourceError: No table has a record, or a choice does not fit.
    """
    filled = [table.profile for table in staged.tables if table.profile.rows]
    if not filled:
        table = staged.tables[0].profile.table if staged.tables else None
        problems = [f"{table.file if table else source} contains no readable record."]
        problems += [f"{bad.place}: {bad.message}." for bad in rejects.first[:1]]
        has_header = table and table.columns and not rejects.counts
        hint = f"It has only a header: {', '.join(table.columns[:MAX_SHOWN])}." if table else None
        raise SourceError(" ".join(problems), hint=hint if has_header else None)
    choices = choices.of_tables(filled)
    drafting = _GraphDrafting(staged.staging, filled, source, choices, how)
    draft = drafting.draft()
    empty = [table.profile.table.name for table in staged.tables if not table.profile.rows]
    left_out = {**draft.left_out, **staged.left_out, **dict.fromkeys(empty, "no record")}
    tables = StagedSource(staged.staging, drafting.tables, [], staged.left_out)
    return tables, replace(draft, left_out=left_out)


class _Edges:
    """The edge tables of a draft. Those to one kind share a name, and then a table."""

    def __init__(self, nodes: Sequence[str]) -> None:
        self.tables: dict[str, EdgeTable] = {}
        self._nodes = {name.upper() for name in nodes}

    def add(self, words: Sequence[str], start: str, end: str, meaning: str) -> str:
        """Add the edges of a column; return their name."""
        name = "_".join(words)
        name = _snake([name if VERB.fullmatch(name) else f"has_{name}"])
        pair = Pair(from_table=start, to_table=end)
        for known in (name, f"{name}_{_snake(words_of(end))}"):
            table = self.tables.get(known)
            if table and table.pairs[0].to_table == end and pair not in table.pairs:
                about = shorten(f"{table.meaning}; {meaning}", 200)
                pairs = (*table.pairs, pair)
                self.tables[known] = table.model_copy(update={"pairs": pairs, "meaning": about})
                return known
        return self.add_table(name, pair, meaning, ())

    def add_table(self, name: str, pair: Pair, meaning: str, columns: tuple[Column, ...]) -> str:
        """Add an edge table of its own; return its name."""
        unique, number = name, 2
        while unique in self.tables or unique in self._nodes:
            unique, number = f"{name}_{number}", number + 1
        self.tables[unique] = EdgeTable(
            name=unique, pairs=(pair,), meaning=meaning, in_text=True, columns=columns
        )
        return unique


def _shared_start(titles: Sequence[str]) -> str:
    """Return the first word that the titles of many tables share, where others follow: app_."""
    start = titles[0][: titles[0].find("_") + 1]
    is_shared = len(titles) >= MIN_PREFIXED and all(
        re.match(r"\d*[^\W\d_]", title.removeprefix(start)) and title.startswith(start)
        for title in titles
    )
    return start if is_shared else ""


def _numbered_kind(related: TableRelations, tables: Sequence[TableRelations]) -> str:
    """Return a kind with the number of its title where others differ by theirs: Item7, Item8."""
    number = re.findall(r"\d+", related.profile.table.title)[-1:]
    is_shared = sum(other.kind == related.kind for other in tables) > 1
    return related.kind + number[0] if number and is_shared else related.kind


def _snake(words: Sequence[str]) -> str:
    name = "_".join(part for word in words for part in words_of(word)).upper()[:56] or "LINK"
    is_free = name[0].isalpha() and name not in RESERVED | UNRESERVED_STATEMENTS
    return name if is_free else f"HAS_{name}"


class _GraphDrafting:
    """Decides on all tables together: their relations, and the kinds that they share."""

    def __init__(
        self,
        staging: Staging,
        profiles: Sequence[TableProfile],
        source: str,
        choices: DraftChoices,
        how: ColumnMap,
    ) -> None:
        self._staging, self._source, self._choices, self._how = staging, source, choices, how
        self._is_only = len(profiles) == 1
        self._prefix = _shared_start([profile.table.title for profile in profiles])
        self._related = [self._relations_of(profile) for profile in profiles]
        find_relations(staging, self._related, choices.nodes)
        self._kinds: dict[str, str] = {}
        self._drafting: dict[str, TableDrafting] = {}
        self._draft_tables(self._related)
        names = {name: drafting.unique_name for name, drafting in self._drafting.items()}
        unique = {name: column for name, column in names.items() if column}
        self._draft_tables(find_name_links(staging, self._related, unique, choices.nodes))
        self._edges = _Edges([*self._kinds.values()])
        self._values: list[ValueKind] = []
        self.tables: list[StagedTable] = []
        self._decisions: list[str] = []

    def _draft_tables(self, tables: Sequence[TableRelations]) -> None:
        for related in tables:
            name = related.name
            kind, _ = self._kinds.pop(name, None), self._drafting.pop(name, None)
            if not related.is_edges:
                used = self._kinds.values()
                kind = _numbered_kind(related, self._related)
                kind = unique_identifier(kind, used, fallback="Record", of_kind=True)
                self._kinds[name] = kind
                self._drafting[name] = TableDrafting(
                    self._staging, related, kind, self._of_table(related.profile), self._how
                )

    def _title(self, profile: TableProfile) -> str:
        """Return what a table is called, without what all begin with: app_orders -> orders."""
        return profile.table.title[len(self._prefix) :]

    def _of_table(self, profile: TableProfile) -> TableChoices:
        return self._choices.of_table(profile, is_only=self._is_only)

    def _relations_of(self, profile: TableProfile) -> TableRelations:
        columns = [column for column in profile.columns.values() if column.filled]
        kind = self._choices.kind or kind_of_title(self._title(profile), columns)
        related, choices = TableRelations(profile, kind), self._of_table(profile)
        if choices.key:
            related.key = chosen_key(profile, choices.key)
        related.valued = [chosen_column(profile, c, "--kinds") for c in choices.kinds or ()]
        return related

    def draft(self) -> GraphDraft:
        valued = self._find_values()
        drafts: dict[str, TableDraft] = {}
        summary: list[tuple[str, str]] = []
        for related in self._related:
            if not related.is_edges:
                drafts[related.name] = self._draft_nodes(related, valued[related.name], summary)
        for related in self._related:
            if related.is_edges:
                self._draft_edges(related, summary)
        nodes = self._ordered([draft.node for draft in drafts.values()])
        for value in self._values:
            if value.is_new:
                profile = next(
                    related.profile
                    for related in self._related
                    if related.profile.table.relation == value.relation
                )
                about = described(self._staging, profile, value.column)
                nodes.append(value_node(value, about, self._kinds[profile.table.name]))
        name = nodes[0].name if self._is_only else self._source.split(".")[0]
        of = self._related[0].profile.table.file if self._is_only else self._source
        contract = Contract(
            name=re.sub(r"[^a-z0-9_]", "_", name.lower()),
            title=f"{name} graph",
            version="1.0",
            description=f"The records of {one_line(of)}, and what connects them.",
            nodes=tuple(nodes),
            edges=tuple(self._edges.tables.values()),
        )
        left_out = {
            column if self._is_only else f"{table}.{column}": reason
            for table, draft in drafts.items()
            for column, reason in draft.left_out.items()
        }
        sample = next(draft.sample for draft in drafts.values() if draft.node is nodes[0])
        files = {"contract.toml": contract_toml(contract), **example_files(contract, sample)}
        return GraphDraft(
            contract_of(with_checksum(files)),
            "\n".join(self._map_lines(left_out)) + "\n",
            tuple(self._decisions),
            left_out,
            tuple(summary),
            sum(draft.embedded for draft in drafts.values()),
        )

    def _draft_nodes(
        self,
        related: TableRelations,
        values: Sequence[ValueKind],
        summary: list[tuple[str, str]],
    ) -> TableDraft:
        drafting, kind = self._drafting[related.name], self._kinds[related.name]
        links = {
            link.column.name: LinkColumn(
                edge=self._link_edge(link, kind), split=link.split, by_name=link.by_name
            )
            for link in related.links
        }
        draft = drafting.draft(values, links)
        self._decide(related, drafting.decisions)
        self.tables.append(StagedTable(draft.columns, related.profile))
        if self._is_only:
            summary += draft.summary
        else:
            filled = "; ".join(f"{what} {how}" for what, how in draft.summary[:3])
            records = plural(related.profile.rows, "record")
            summary.append(("nodes", f"{kind}, from {one_line(related.name)}: {records}; {filled}"))
        for link in related.links:
            to, name = self._kinds[link.target.name], link.column.name
            summary.append(("edges", f"{links[name].edge}, {kind} to {to}, from {name}"))
        for value in values:
            split = f", separated by {value.column.split!r}" if value.column.split else ""
            names = plural(value.column.distinct, "name")
            summary.append(("nodes", f"{value.table}, from {value.column.name}: {names}{split}"))
        return draft

    def _decide(self, related: TableRelations, decisions: Iterable[tuple[str, str]]) -> None:
        name = one_line(related.name)
        start = "" if self._is_only else f"{name}: "
        for what, how in decisions:
            flag = how if self._is_only else how.replace(" COLUMN", f" {name}.COLUMN")
            self._decisions.append(f"{start}{what} ({flag})")

    def _link_edge(self, link: Link, kind: str) -> str:
        """Return the edges of a column of ids."""
        words = [word for word in link.column.parts if word.isascii()]
        while words and words[-1] in ID_WORDS:
            words.pop()
        end = self._kinds[link.target.name]
        key = link.target.key
        if key and key.parts == link.column.parts and key.parts[-1] != "id":
            words = link.target.thing  # tailnum of planes: HAS_PLANE
        if not words or "".join(words) in link.target.id_names:
            words = link.target.thing
        about = f"the {end} in {one_line(link.column.name)} of the {kind}"
        return self._edges.add(words, kind, end, about)

    def _draft_edges(self, related: TableRelations, summary: list[tuple[str, str]]) -> None:
        """Add an edge table for a table of links, with its other columns."""
        start, end = (link for link in related.links)
        columns, fields, used = list[Column](), dict[str, str](), ["Kind", "FromKind", "ToKind"]
        for column in related.profile.columns.values():
            if column.filled and not related.link_of(column):
                name = unique_identifier(column.name, used, fallback="Column")
                used.append(name)
                about = described(self._staging, related.profile, column)
                columns.append(new_column(name, stored_type(column), about))
                fields[name.lower()] = column.name
        pair = Pair(
            from_table=self._kinds[start.target.name], to_table=self._kinds[end.target.name]
        )
        about = f"one edge for each record of {one_line(related.profile.table.file)}"
        name = _snake(words_of(self._title(related.profile)))
        name = self._edges.add_table(name, pair, about, tuple(columns))
        ends = {"from": start.column.name, "to": end.column.name}
        by_name: list[End] = [
            which for which, link in zip(ENDS, (start, end), strict=True) if link.by_name
        ]
        how = self._how
        column_map = ColumnMap(
            edge=name,
            by_name=tuple(by_name),
            columns={**ends, **fields},
            file_column=related.profile.table.file_column,
            encoding=how.encoding,
            delimiter=how.delimiter,
            dates=related.profile.dates,
        )
        self.tables.append(StagedTable(column_map, related.profile))
        further = f" with {', '.join(c.name for c in columns)}" if columns else ""
        joined = f"{name}, {pair.from_table} to {pair.to_table}, from {related.name}{further}"
        summary.append(("edges", joined))
        what = f"its rows are edges {name}"
        notes = (*table_notes(related.profile.table), *related.notes)
        self._decide(related, [*notes, (what, f"--nodes {related.name}")])

    def _find_values(self) -> dict[str, list[ValueKind]]:
        """Return the columns of each table whose values become nodes.

        Where they do in one table, a column of the same things elsewhere leads to them, too.
        """
        nodes = [related for related in self._related if not related.is_edges]
        found: dict[str, list[ValueKind]] = {related.name: [] for related in nodes}
        for related in nodes:
            drafting = self._drafting[related.name]
            for column in drafting.valued:
                if len(self._values) >= MAX_KINDS:
                    names = ", ".join(value.column.name for value in self._values)
                    more = f"more than {MAX_KINDS} columns could be kinds; these are: {names}"
                    drafting.decisions.append((more, "--kinds COLUMN,..."))
                    break
                table = self._shared_kind(related, column)
                found[related.name].append(self._value(related, column, table))
        for related in nodes if self._choices.kinds is None else ():
            for column in self._drafting[related.name].named:
                table = self._shared_kind(related, column, elsewhere=True)
                if table:
                    found[related.name].append(self._value(related, column, table))
        return found

    def _value(
        self, related: TableRelations, column: ColumnProfile, table: str | None
    ) -> ValueKind:
        """Return a column as values of a kind, by default a new one, with their edges."""
        kind, words = self._kinds[related.name], item_words(column.name)
        is_new = table is None
        if table is None:
            used = [*self._kinds.values(), *(value.table for value in self._values)]
            named = words or [kind, column.name]
            named = [*named[:-1], singular(named[-1])]
            # birth_city and death_city: City
            if len(words) > 1 and len(named[-1]) > 2 and self._is_told_apart(column):
                general = unique_identifier(named[-1], (), fallback="Listed", of_kind=True)
                named = named if general in used else named[-1:]
            table = unique_identifier(" ".join(named), used, fallback="Listed", of_kind=True)
        ending = [*words[:-1], singular(words[-1])] if words else words_of(table)
        about = f"the {table} in {one_line(column.name)} of the {kind}"
        edge = self._edges.add(ending, kind, table, about)
        value = ValueKind(column, related.profile.table.relation, table, edge, is_new)
        self._values.append(value)
        return value

    def _is_told_apart(self, column: ColumnProfile) -> bool:
        """Return whether another column holds the same things in another role."""
        thing = thing_of(column)
        columns = (c for d in self._drafting.values() for c in (*d.valued, *d.named))
        others = (other for other in columns if other.parts != column.parts)
        return thing not in VAGUE and any(thing_of(other) == thing for other in others)

    def _shared_kind(
        self, related: TableRelations, column: ColumnProfile, *, elsewhere: bool = False
    ) -> str | None:
        """Return the kind of another column of the same things: home and away teams are teams.

        Equal values alone say nothing: a title may be the name of a place.
        """
        if column.type != "TEXT" or column.split:
            return None
        relation = related.profile.table.relation
        for value in self._values:
            other, is_here = value.column, value.relation == relation
            is_few = is_here and column.distinct <= MAX_FLAG_VALUES
            if other.type != "TEXT" or other.split or not is_same_thing(column, other) or is_few:
                continue
            both = self._staging.row(
                f"SELECT count(*) FROM (SELECT {column.read} FROM {relation} "  # noqa: S608
                f"INTERSECT SELECT {other.read} FROM {value.relation})"
            )[0]
            sizes = (column.distinct, other.distinct)
            is_vague = thing_of(column) in VAGUE
            enough = SHARED * min(sizes) if not is_vague else 0.5 * max(sizes)
            enough = 0.5 * column.distinct if elsewhere else enough
            if both >= enough and not (elsewhere and is_here):
                what = f"{column.name} has the values of {other.name}"
                self._drafting[related.name].decisions.append(
                    (f"{what}: one kind {value.table}, an edge for each", "contract.toml")
                )
                return value.table
        return None

    def _ordered(self, nodes: list[NodeTable]) -> list[NodeTable]:
        """Return node tables with the best connected one first."""
        pairs = [pair for edge in self._edges.tables.values() for pair in edge.pairs]
        ends = [kind for pair in pairs for kind in (pair.from_table, pair.to_table)]
        first = max(nodes, key=lambda node: (ends.count(node.name), bool(node.vector)))
        return [first, *(node for node in nodes if node is not first)]

    def _map_lines(self, left_out: Mapping[str, str]) -> Iterator[str]:
        """Yield the column map as TOML, with comments for who edits it."""
        yield "# Which column fills which field of contract.toml; drafted by `moviegraph init`."
        how = self._how
        for key in ("encoding", "delimiter"):
            if value := getattr(how, key):
                yield f"{key} = {quoted(value)}"
        dates = self.tables[0].columns.dates if self._is_only else how.dates
        day_first = "" if dates == "day first" else "# "
        yield f'{day_first}dates = "day first" # 12/11/2024 is in November'
        yield '# absent = ["-"] # cells that mean: no value; or by column: absent.code = ["NA"]'
        yield '# aliases = "aliases.jsonl" # other names of nodes, in a file next to this one'
        for table in self.tables:
            prefix = "" if self._is_only else f"tables.{quoted(table.profile.table.name)}"
            if prefix:
                yield f"\n[{prefix}]"
                if table.columns.dates != how.dates:  # some of its dates decide
                    yield f"dates = {quoted(table.columns.dates)}"
            yield from _table_lines(table.columns, f"{prefix}." if prefix else "")
        if left_out:
            yield "\n# Left out:"
        for name, reason in left_out.items():
            yield f"# {one_line(name)}: {reason}"


def _table_lines(columns: ColumnMap, prefix: str) -> Iterator[str]:
    yield f"edge = {quoted(columns.edge)}" if columns.edge else f"kind = {quoted(columns.kind)}"
    lines = {
        "by_name": "these columns hold names of nodes, not ids",
        "number_rows": "ids are the numbers of the rows: they change when the file does",
        "made_names": "names are made of kind and id",
        "file_column": "the files are one table, and this column says from which a row is",
        "line": "the columns of the generated text",
    }
    for key, about in lines.items():
        value = getattr(columns, key)
        if value or (key == "line" and key in columns.model_fields_set):
            yield f"{key} = {quoted(value)} # {about}"
    yield f"\n[{prefix}columns]"
    for name, column in columns.columns.items():
        source = column if isinstance(column, str) else list(column)
        yield f"{quoted(name) if not name.isalnum() else name} = {quoted(source)}"
    if columns.lists:
        yield f"\n[{prefix}lists] # each name becomes a node, and an edge to it"
    for name, listed in columns.lists.items():
        how = f", split = {quoted(listed.split)}" if listed.split else ""
        how += f", json = {quoted(listed.json_name)}" if listed.json_name else ""
        yield f"{quoted(name)} = {{ edge = {quoted(listed.edge)}{how} }}"
    if columns.links:
        yield f"\n[{prefix}links] # each id becomes an edge to the node that has it"
    for name, link in columns.links.items():
        how = f", split = {quoted(link.split)}" if link.split else ""
        how += ", by_name = true" if link.by_name else ""
        yield f"{quoted(name)} = {{ edge = {quoted(link.edge)}{how} }}"
