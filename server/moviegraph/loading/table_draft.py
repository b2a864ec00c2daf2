"""The draft of a table of nodes: what each column is, each decision with what changes it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from moviegraph.contract.model import Column, NodeTable
from moviegraph.engines.embedded.source_staging import SourceTable, Staging
from moviegraph.errors import SourceError
from moviegraph.loading.column_map import ColumnMap, LinkColumn, ListColumn
from moviegraph.loading.column_profile import ColumnProfile, TableProfile, words_of_header
from moviegraph.loading.contract_draft import unique_identifier
from moviegraph.loading.relations import (
    FAMILY,
    GIVEN,
    MIN_PROSE_WORDS,
    TableRelations,
    folded_name,
)
from moviegraph.names import singular
from moviegraph.text import one_line, plural, shorten

# Words of headers, the likeliest first.
NAMES = (
    "title", "name", "label", "heading", "headline", "subject", "titel", "titre", "titulo",
    "nombre", "nom", "city", "candidate",
)  # fmt: skip
PROSE = (
    "plot", "overview", "description", "summary", "synopsis", "abstract", "content", "text", "body",
    "quote", "desc", "instructions", "directions", "handlung", "inhalt", "beschreibung", "resumen",
)  # fmt: skip
YEARS = frozenset("year released release published jahr annee ano".split())
PLACES = tuple("address street phone fax email zip postcode postal url hash link image".split())
ODD_NAMES = frozenset("address email comment url street phone hash".split())
GENERIC = frozenset(
    "data dataset metadata export all final clean list the tbl table x ds sheet sample full".split()
)
ITEM_WORDS = ("name", "title", "label", "names", "id", "code", "login")
UNNAMED = re.compile(r"(column|field|unnamed|col|[cfvx])[\W_]*\d+", re.IGNORECASE)
MIN_USES, MIN_LIST_USES = 1.5, 1.1  # how many rows share a name: names are shared, sentences not
MAX_FLAG_VALUES, MIN_FLAG_ROWS = 3, 50  # of many rows, two or three values are a flag, not nodes
MAX_LINE = 40
MAX_EMBEDDED = 50_000
MIN_EMBEDDED_WORDS = 3
MIN_LABEL_CHARS = 200
MAX_TYPED_CHARS = 4000
MAX_SHOWN = 40
SAMPLE_WORDS = 12


@dataclass(frozen=True, slots=True)
class TableChoices:
    """What a person decided about the draft of a table; None and False leave it to the draft.

    Attributes:
        key: The column that identifies the rows.
        name: The columns of their names.
        text: The column of their texts.
        kinds: The columns whose values become nodes of their own.
        vectors: Embed texts of any number.
    """

    key: str | None = None
    name: tuple[str, ...] = ()
    text: str | None = None
    kinds: tuple[str, ...] | None = None
    vectors: bool = False


@dataclass(slots=True, eq=False)
class ValueKind:
    """A column whose values become nodes, or name those of another table.

    Attributes:
        column: The column.
        relation: Its table in the staging.
        table: The node table of the values.
        edge: The edge table from the rows.
        is_new: No other column or table has these nodes.
    """

    column: ColumnProfile
    relation: str
    table: str
    edge: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class TableDraft:
    """The draft of a table of nodes.

    Attributes:
        node: Its node table.
        columns: Its column map, without edges.
        left_out: The columns that are not loaded, and why.
        summary: What fills what, line by line.
        embedded: How many texts have a vector.
        sample: The start of a text.
    """

    node: NodeTable
    columns: ColumnMap
    left_out: Mapping[str, str]
    summary: tuple[tuple[str, str], ...]
    embedded: int
    sample: str


def kind_of_title(title: str, columns: Iterable[ColumnProfile]) -> str:
    """Return what the rows of a table are called: us_cities.csv holds UsCity records."""
    parts = re.split(r"[^A-Za-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", title))
    words = [word for word in parts if word and not word[0].isdigit()]
    specific = [word for word in words if word.lower() not in GENERIC] or words
    if not specific:
        return "Record"
    last = singular(specific[-1])
    kind = " ".join((*specific[-3:-1], last)) if len(specific) > 1 else last
    is_value = any(
        column.type == "TEXT"
        and column.parts
        and singular(column.parts[-1]).lower() == last.lower()
        and column.distinct < column.filled
        for column in columns
    )
    return f"{kind} Record" if is_value or len(kind) < 3 else kind


def chosen_column(profile: TableProfile, name: str, flag: str) -> ColumnProfile:
    """Return a column that a person named. Raises SourceError."""
    column = profile.column(name)
    if column is None or not column.filled:
        raise SourceError(
            f"{profile.table.file} has no column {name} with values.",
            hint=f"Correct {flag}. Columns: {', '.join(list(profile.columns)[:20])}.",
        )
    return column


def chosen_key(profile: TableProfile, name: str) -> ColumnProfile:
    """Return the column that a person named as key. Raises SourceError."""
    column = chosen_column(profile, name, "--key")
    if not column.filled == column.distinct == profile.rows:
        repeats = plural(profile.rows - column.distinct, "row")
        message = f"{column.name} does not identify the rows: {repeats} repeat it or lack it."
        raise SourceError(message, hint="Name another column with --key, or none.")
    return column


class TableDrafting:
    """Assigns each column of a table of nodes to its purposes.

    Attributes:
        names: The columns of the name of a row.
        valued: The columns that may become kinds.
        named: Further columns of names, which rows do not share.
        decisions: One for each, with the flag or the key of the map that changes it.
    """

    def __init__(
        self,
        staging: Staging,
        related: TableRelations,
        kind: str,
        choices: TableChoices,
        how: ColumnMap,
    ) -> None:
        profile = related.profile
        self._staging, self._profile, self._choices, self._how = staging, profile, choices, how
        self._kind, self._key, self._related = kind, related.key, related
        self.decisions = list(related.notes)
        self._columns = [column for column in profile.columns.values() if column.filled]
        empty = (c.name for c in profile.columns.values() if not c.filled)
        self._left_out = {**dict.fromkeys(empty, "no value"), **profile.table.left_out}
        links = {column: related.link_of(column) for column in self._columns}
        self._free = [c for c, link in links.items() if link is None or link.by_name]
        self._references = [column for column, link in links.items() if link]
        self._references += filter(None, [profile.column(profile.table.file_column or "")])
        self._tell_notes()
        self.names = self._find_names()
        self._prose = self._find_prose()
        taken = (*self.names, *self._prose, self._key)
        free = [column for column in self._free if column not in (*taken, *self._references)]
        self.valued = self._find_valued(free)
        self.named = [
            column
            for column in free
            if column not in self.valued and column.type == "TEXT" and column.letters >= 0.8
        ]

    @property
    def unique_name(self) -> ColumnProfile | None:
        """The column of names, where each is of one row."""
        rows, column = self._profile.rows, self.names[0] if len(self.names) == 1 else None
        if column is None or column.distinct != rows:
            return None
        different = f"count(DISTINCT {folded_name(column.read)})"
        is_unique = f"SELECT {different} = {rows} FROM {self._profile.table.relation}"  # noqa: S608
        return column if self._staging.row(is_unique)[0] else None

    def draft(self, kinds: Sequence[ValueKind], links: Mapping[str, LinkColumn]) -> TableDraft:
        """Return the draft, once the kinds of its values and the edges of its ids are known."""
        key, names, prose = self._key, self.names, self._prose
        text = prose[0] if prose else None
        valued = [kind.column for kind in kinds]
        line: list[ColumnProfile] = []  # the telling columns; names of kinds follow them anyway
        if not text:
            line = [c for c in self._free if c not in (key, *names, *valued, *self._references)]
            line = [c for c in line if c.type != "JSON" and c.links < 0.2][:MAX_LINE]
        made_names = not names
        if made_names and key and key.type == "TEXT":
            names, made_names = [key], False
        elif made_names and text:
            names, made_names = [text], False
            self._decide(f"no column is a name; names are the first words of {text.name}", "--name")
        elif made_names:
            what = f"{self._kind} and its {'key' if key else 'number'}"
            self._decide(f"no column is a name; names are made of {what}", "--name")
        has_vector = self._has_vector(names, prose, [*line, *valued])
        columns, sources = self._extra(names, text, prose, valued)
        node = self._main_node(names, text, columns, sources, has_vector=has_vector)
        told_names = names[0].name if len(names) == 1 else tuple(c.name for c in names)
        column_map = ColumnMap(
            kind=node.name,
            columns={
                **({"id": key.name} if key else {}),
                **({} if made_names else {"name": told_names}),
                **({"content": text.name} if text else {}),
                **sources,
            },
            number_rows=key is None,
            made_names=made_names,
            file_column=self._profile.table.file_column,
            lists={
                (column := kind.column).name: ListColumn(
                    edge=kind.edge, split=column.split, json=column.item_name
                )
                for kind in kinds
            },
            links=links,
            encoding=self._how.encoding,
            delimiter=self._how.delimiter,
            dates=self._profile.dates,
        )
        if not text:
            told = {"line": tuple(column.name for column in line)}
            column_map = column_map.model_copy(update=told)
        return TableDraft(
            node,
            column_map,
            self._left_out,
            tuple(self._summary(names, text, line, columns, sources)),
            self._profile.rows if has_vector else 0,
            self._sample(text or (names or [None])[0]),
        )

    def _decide(self, what: str, how: str) -> None:
        self.decisions.append((what, how))

    def _tell_notes(self) -> None:
        self.decisions += table_notes(self._profile.table)
        for column in self._free:
            for note in column.notes:
                if "either" in note:
                    self._decide(f"{column.name}: {note}", '--day-first, or dates = "day first"')
                elif "hold several names" in note:
                    self._decide(
                        f"{column.name}: {note}", f"split in the map under lists.{column.name}"
                    )
                else:
                    self._decide(f"{column.name}: {note}", "type in contract.toml")
            if column.unreadable:
                shown = ", ".join(map(repr, column.examples))
                count = plural(column.unreadable, "cell")
                what = f"{column.name}: {count} cannot be read as {column.type} and will be NULL"
                self._decide(f"{what}: {shown}", "type in contract.toml")

    def _find_names(self) -> list[ColumnProfile]:
        """Return the columns of the name of a row: a filled, telling, short text, or two."""
        if self._choices.name:
            return [chosen_column(self._profile, name, "--name") for name in self._choices.name]
        texts = [
            column
            for column in self._free
            if column is not self._key
            and column.type == "TEXT"
            and (column not in self._references or column.distinct == self._profile.rows)
            and not (column.coded >= 0.5 and column.parts[-1:] in (["uid"], ["uuid"], ["guid"]))
            and column.chars <= 100
            and column.words <= 12
            and column.letters >= 0.5
            and column.links < 0.2
            and not column.split
            and not (column.words > 5 and _rank(column.parts, PROSE) > 0.7)
        ]
        scored: list[tuple[float, ColumnProfile]] = []
        for column in texts:
            fill, spread = column.filled / self._profile.rows, column.distinct / column.filled
            is_titled = _rank(column.parts, NAMES[:2]) >= 0.9
            if fill >= 0.5 and spread >= (0.2 if is_titled else 0.5):
                is_odd = column.name.startswith("_") or bool(ODD_NAMES & set(column.parts))
                score = 1.2 * _rank(column.parts, NAMES) + fill + spread - 0.5 * is_odd
                scored.append((score, column))
        scored.sort(key=lambda item: -item[0])
        best = scored[0][1] if scored and scored[0][0] > 1.15 else None
        person = [c for c in texts if "name" in c.parts or len(c.parts) == 1]
        given = next((c for c in person if GIVEN & set(c.parts)), None)
        family = next((c for c in person if FAMILY & set(c.parts)), None)
        is_title = best is not None and _rank(best.parts, NAMES[:2]) >= 0.95
        if given and family and given is not family:
            is_person = {*given.parts, *family.parts} <= GIVEN | FAMILY | {"name"}
            if is_person or best in (given, family) or not is_title:
                return [given, family]
        if best and len(scored) > 1 and scored[0][0] - scored[1][0] < 0.05:
            other = scored[1][1].name
            self._decide(f"the name is {best.name}; it could be {other}", "--name COLUMN")
        return [best] if best else []

    def _find_prose(self) -> list[ColumnProfile]:
        """Return the columns of sentences, the best first."""
        if self._choices.text:
            return [chosen_column(self._profile, self._choices.text, "--text")]
        prose = [
            column
            for column in self._free
            if column not in (*self.names, self._key)
            and column.words >= MIN_PROSE_WORDS
            and not column.split
            and column.links < 0.2
            and (
                (column.type == "TEXT" and column.letters >= 0.5)
                or (column.type == "LIST" and column.uses < MIN_LIST_USES)
                or (column.type == "JSON" and column.item_name and not column.uses)
            )
        ]
        rows = self._profile.rows
        prose.sort(
            key=lambda c: (
                -_rank(c.parts, PROSE) if c.filled > 0.3 * rows else 0,
                -c.words * c.filled,
            )
        )
        return prose if prose and prose[0].filled > 0.3 * rows else []

    def _find_valued(self, free: list[ColumnProfile]) -> list[ColumnProfile]:
        """Return the columns of names that rows share, lists first."""
        if self._choices.kinds is not None:
            return list(self._related.valued)
        shared = [column for column in free if self._is_shared(column)]
        shared.sort(key=lambda c: not (c.split or c.type != "TEXT"))
        apart = list[ColumnProfile]()
        for column in shared:
            if not any(self._mirrors(column, other) for other in apart):
                apart.append(column)
        return apart

    def _is_shared(self, column: ColumnProfile) -> bool:
        is_list = bool(column.type == "LIST" or column.item_name or column.split)
        parts = set(column.parts)
        is_place = any(part.endswith(PLACES) for part in parts)
        if column.type not in ("TEXT", "LIST", "JSON") or is_place or column.links >= 0.2:
            return False
        if column.coded >= 0.8 and column.parts[-1:] in (["id"], ["key"], ["no"]):
            return False  # ids of what the source does not describe
        if UNNAMED.fullmatch(column.name):  # nobody could say what such nodes are
            return False
        if column.uses < (MIN_LIST_USES if is_list else MIN_USES):
            return False
        if is_list:
            return column.type == "JSON" or column.letters >= 0.8
        is_flag = column.distinct <= MAX_FLAG_VALUES and self._profile.rows >= MIN_FLAG_ROWS
        is_name = column.words <= 5 or (column.words <= 9 and column.uses >= 3)
        return bool(
            is_name
            and not is_flag
            and column.distinct > 1
            and column.letters >= 0.8
            and column.chars >= 3
            and column.units <= (200 if column.uses >= 3 else 120)
            and not (GIVEN | FAMILY) & parts
        )

    def _mirrors(self, column: ColumnProfile, other: ColumnProfile) -> bool:
        """Return whether each value stands for one of an earlier kind, as codes of countries do."""
        is_alike = column.type == other.type == "TEXT" and not (column.split or other.split)
        same = (column.distinct, column.filled) == (other.distinct, other.filled)
        pairs = (
            f"SELECT count(DISTINCT ({column.read}, {other.read})) "  # noqa: S608
            f"FROM {self._profile.table.relation} WHERE {column.read} IS NOT NULL"
        )
        return is_alike and same and self._staging.row(pairs)[0] == column.distinct

    def _has_vector(
        self,
        names: list[ColumnProfile],
        prose: list[ColumnProfile],
        told: list[ColumnProfile],
    ) -> bool:
        rows = self._profile.rows
        words = sum(c.words * c.filled for c in (*names, *told) if c.letters >= 0.5) / rows
        if not prose and words < MIN_EMBEDDED_WORDS:
            self._decide("too few words for vectors: words find the records", "--text COLUMN")
            return False
        if rows > MAX_EMBEDDED and not self._choices.vectors:
            self._decide(f"{rows:,} texts are too many for vectors by default", "--vectors")
            return False
        return True

    def _extra(
        self,
        names: list[ColumnProfile],
        text: ColumnProfile | None,
        prose: list[ColumnProfile],
        valued: list[ColumnProfile],
    ) -> tuple[list[Column], dict[str, str]]:
        """Return the further columns, and which column of the file fills each field."""
        key, columns, sources = self._key, list[Column](), dict[str, str]()
        for column in self._columns:
            link = self._related.link_of(column)
            if link and not link.missing and not link.by_name:
                continue  # the edge says it
            is_stored = (
                (column is key and column.type in ("INT", "BIGINT"))
                or (column is text and column.type == "TEXT")
                or (len(names) == 1 and names[0] is column is not text and self._is_plain(column))
            )
            if is_stored and not (column is key and column.type == "TEXT"):
                continue
            used = ["Id", "Name", "Content", "Embedding", *(other.name for other in columns)]
            name = unique_identifier(column.name, used, fallback="Column")
            is_text = column.type == "TEXT"
            is_key = column is key
            is_searched = is_text and column.links < 0.2 and column not in valued
            is_searched = is_searched and (column.words >= 1.5 or column.uses < MIN_USES)
            columns.append(
                new_column(
                    name,
                    stored_type(column, is_key=is_key),
                    described(self._staging, self._profile, column),
                    searchable=is_key or column in prose or is_searched,
                    nullable=not is_key,
                )
            )
            sources[name.lower()] = column.name
        return columns, sources

    def _is_plain(self, column: ColumnProfile) -> bool:
        """Return whether names are stored as they are written: those of a node have one line."""
        odd = f"regexp_matches({column.read}, '\\s\\s|[\\n\\r\\t]')"
        return not self._staging.row(
            f"SELECT count(*) FILTER (WHERE {odd}) FROM {self._profile.table.relation}"  # noqa: S608
        )[0]

    def _main_node(
        self,
        names: list[ColumnProfile],
        text: ColumnProfile | None,
        extra: list[Column],
        sources: Mapping[str, str],
        *,
        has_vector: bool,
    ) -> NodeTable:
        key, file = self._key, self._profile.table.file
        is_source = key is not None and key.type == "TEXT"
        is_small = key is not None and key.type == "INT"
        id_type = "BIGINT" if is_source or (key and not is_small) else "INT"
        about_key = f"{key.name} of the file" if key else "number of the row"
        if is_source and key:
            about_key = f"key; made from {key.name}"
        named = " and ".join(column.name for column in names) or "made of the kind and the key"
        first_words = text is not None and names == [text]
        chars = sum(column.units for column in names) + len(names)
        name_type = "NVARCHAR(100)" if first_words else _label_type(chars)
        about_text = f"{text.name} of the file" if text else "the columns of the row in one line"
        columns = [
            new_column("Id", id_type, f"{about_key[0].upper()}{about_key[1:]}.", nullable=False),
            new_column("Name", name_type, f"{named}.", nullable=False, searchable=True),
            new_column("Content", "NVARCHAR(MAX)", f"Text: {about_text}.", searchable=True),
            *extra,
        ]
        if has_vector:
            about = "Vector of name and text; compare with @q, never select it."
            columns.append(new_column("Embedding", "VECTOR", about))
        years = [
            column.name
            for column in extra
            if column.type == "INT" and YEARS & set(words_of_header(column.name))
        ]
        record = f"One record of {file}."
        source_key = next(
            (c.name for c in extra if is_source and key and sources[c.source_field] == key.name),
            None,
        )
        return NodeTable.model_validate(
            {
                "name": self._kind,
                "description": record,
                "columns": tuple(columns),
                "text": "Content",
                "vector": "Embedding" if has_vector else None,
                "source_key": source_key,
                "disambiguated_by": years[0] if years else None,
            }
        )

    def _sample(self, column: ColumnProfile | None) -> str:
        if column is None or column.type != "TEXT":
            return ""
        relation = self._profile.table.relation
        value = self._staging.row(
            f"SELECT {column.read} FROM {relation} WHERE {column.read} IS NOT NULL LIMIT 1"  # noqa: S608
        )[0]
        return " ".join(one_line(value).split()[:SAMPLE_WORDS])

    def _summary(
        self,
        names: list[ColumnProfile],
        text: ColumnProfile | None,
        line: list[ColumnProfile],
        columns: list[Column],
        sources: Mapping[str, str],
    ) -> Iterator[tuple[str, str]]:
        yield "key", self._key.name if self._key else "number of the row"
        yield "name", " and ".join(c.name for c in names) or f"{self._kind} and its key"
        told = f"one line of {plural(len(line), 'column')}" if line else "the name"
        yield "text", text.name if text else told
        for column in columns:
            yield "column", f"{column.name} {column.type}, from {sources[column.source_field]}"


def table_notes(table: SourceTable) -> Iterator[tuple[str, str]]:
    """Yield what the reader of a table decided, each with what changes it."""
    for note in table.notes:
        if note.startswith("read as"):
            yield note, "--encoding, or encoding in the map"
        else:
            yield note, "--no-join" if "of the same columns" in note else "the file"


def stored_type(column: ColumnProfile, *, is_key: bool = False) -> str:
    """Return the type of a contract for what a column holds."""
    if column.type == "TEXT" and is_key:
        return f"NVARCHAR({min(450, max(100, 2 * column.units))})"
    return _text_type(column.units) if column.type in ("TEXT", "LIST") else column.type


def described(staging: Staging, profile: TableProfile, column: ColumnProfile) -> str:
    """Return a line that is true of what is stored: the header and some of the values."""
    value = f"array_to_string({column.read}, ', ')" if column.type == "LIST" else column.read
    rows = staging.run(
        f"SELECT {value}::VARCHAR AS v FROM {profile.table.relation} WHERE v IS NOT NULL "  # noqa: S608
        "GROUP BY 1 ORDER BY count(*) DESC, min(rowid) LIMIT 3"
    ).fetchall()
    examples = [shorten(one_line(str(value)), MAX_SHOWN) for (value,) in rows]
    if column.type == "BIT":
        examples = ["1", "0"]
    header = one_line(column.name)
    units = [note.split()[0] for note in column.notes if note.endswith("removed")]
    unit = f" in {units[0]}" if units and units[0] in "$€£¥%" else ""
    is_constant = column.distinct == 1 and column.filled == profile.rows
    always = "always " if is_constant else "such as "
    return f"{header}{unit}, {always}{', '.join(examples[: 1 if column.distinct == 1 else 3])}."


def value_node(kind: ValueKind, description: str, of: str) -> NodeTable:
    """Return the node table of the values of a column, which the rows of a kind share."""
    name = _label_type(kind.column.units)
    columns = (
        new_column("Id", "BIGINT", "Key; made from the name.", nullable=False),
        new_column("Name", name, description, nullable=False, searchable=True),
    )
    about = f"One of the values of {one_line(kind.column.name)}, shared by {of} records."
    return NodeTable.model_validate(
        {"name": kind.table, "description": about, "columns": columns, "text": None, "vector": None}
    )


def _rank(parts: list[str], words: tuple[str, ...]) -> float:
    """Return how well a header fits likely words, 0 to 1; also as the end: Originaltitel."""
    best = 0.0
    for place, word in enumerate(words):
        is_end = len(word) > 3 and any(part.endswith(word) for part in parts)
        if word in parts or is_end:
            fit = 1.0 if parts[-1] == word else 0.8 if word in parts else 0.6
            best = max(best, fit - 0.02 * place - 0.05 * (len(parts) - 1))
    return best


def item_words(name: str) -> list[str]:
    """Return the words of a header that say what its values are: school.name -> school."""
    path = [part for part in name.split(".") if words_of_header(part)]
    while len(path) > 1 and words_of_header(path[-1])[-1] in ITEM_WORDS:
        path.pop()
    words = [word for word in words_of_header(path[-1]) if word.isascii()] if path else []
    if words == ["s"] or not words:
        return []
    if len(words) > 1 and (words[-1] in ITEM_WORDS or words[-1] in ("s", "es")):
        words.pop()
    return [] if words in (["name"], ["title"], ["label"]) else words


def thing_of(column: ColumnProfile) -> str:
    """Return what a header says that its values are: home_team, Away Team 2 -> team."""
    words = [word for word in item_words(column.name) or column.parts if not word.isdigit()]
    return singular(words[-1]) if words else column.name


def is_same_thing(column: ColumnProfile, other: ColumnProfile) -> bool:
    """Return whether headers name the same thing, also in one word: billingcity, city."""
    things = sorted((thing_of(column), thing_of(other)), key=len)
    return things[0] == things[1] or (len(things[0]) > 3 and things[1].endswith(things[0]))


def new_column(name: str, sql_type: str, description: str, **options: bool) -> Column:
    """Return a column of a contract."""
    return Column.model_validate(
        {"name": name, "type": sql_type, "description": description, **options}
    )


def _text_type(units: int, minimum: int = 100) -> str:
    """Return a type for twice as many characters, in hundreds."""
    size = max(minimum, -(-2 * units // 100) * 100)
    return f"NVARCHAR({size})" if size <= MAX_TYPED_CHARS else "NVARCHAR(MAX)"


def _label_type(units: int) -> str:
    return _text_type(min(units, MAX_TYPED_CHARS // 2), MIN_LABEL_CHARS)
