"""How the tables of a source refer to each other: keys, foreign keys, and tables of links.

What a source declares is taken if its rows bear it out. The rest is found by the names of columns
and by inclusion: the values of a reference are ids of another table, or names that its rows do not
share. A measure is neither.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from moviegraph.engines.embedded.source_staging import Reference, Staging, literal
from moviegraph.loading.column_profile import ColumnProfile, TableProfile, words_of_header
from moviegraph.names import singular
from moviegraph.text import plural

# Words of headers.
KEYS = frozenset(
    "id uuid guid key code isbn sku oid number no nr num nummer identifier rank index slug".split()
)
KEY_ENDS = ("id", "uuid", "key", "code", "const")
MEASURES = frozenset(
    "price msrp cost amount total sum count population pop budget gross sales revenue salary votes "
    "rating score phone fax mobile tel lat latitude lon lng longitude height width length weight "
    "mass speed area age year date time percent rate ratio mpg hp value quantity qty duration size "
    "income temperature elevation altitude ts timestamp epoch created".split()
)
POSTAL = frozenset("zip zipcode postcode postal plz".split())
ID_WORDS = ("id", "ids", "code", "codes", "key", "no", "nr", "num", "number", "fk", "ref", "uuid")
SAME_TABLE = frozenset(
    "parent previous prev next reply original root superior ancestor related similar also "
    "duplicate".split()
)
ROLES = frozenset(
    "manager boss supervisor reports mentor mother father spouse partner by author owner creator "
    "assignee reviewer rep leader lead reporter borrower".split()
)
STAFF_ROLES = frozenset("manager boss supervisor reports assignee rep leader".split())
STAFF = frozenset("employee staff worker".split())
PERSONS = STAFF | frozenset(
    "person people user member customer player actor student teacher author contact".split()
)
GIVEN = frozenset("first given forename firstname fname givenname".split())
FAMILY = frozenset("last family surname lastname lname familyname".split())
OF_MANY = frozenset(  # what a thing has in common with others: no name of it alone
    "full city town country state region place location colour color status gender month "
    "size".split()
)
ENDS = (frozenset("source src from start".split()), frozenset("target dst to end".split()))
MIN_KEY_SCORE = 14
WHOLE = ("INT", "BIGINT")
MANY = 20  # values, of which a few may be ids that another table lacks
CODED, BY_NAME, BY_FULL_NAME = 0.05, 0.1, 0.5  # the share of such values
SAME_NAME, BY_ROLE = 2.5, 0.5  # how well a column is named after a table
MIN_CODES = 3
WORDY = 0.8  # the share of names with words in them
ALL = -1  # in counts by table
SEPARATORS = ("|", ";", ",")
MAX_EDGE_COLUMNS = 12
MIN_PROSE_WORDS = 6


@dataclass(frozen=True, slots=True)
class Link:
    """A column of ids or names of another table, or of its own.

    Attributes:
        column: The column.
        target: The table.
        missing: How many of its values are no ids there.
        split: What separates several ids in a cell.
        by_name: The values are names.
    """

    column: ColumnProfile
    target: "TableRelations"
    missing: int = 0
    split: str | None = None
    by_name: bool = False


@dataclass(slots=True, eq=False)
class TableRelations:
    """A table among others.

    Attributes:
        profile: The table.
        kind: What its rows are called: order item.
        thing: The words of that.
        id_names: What a column of its ids may be called, in one word.
        key: The column that identifies the rows; None numbers them.
        valued: The columns whose values a person chose to become nodes of their own.
        links: The columns of ids and names, in the order of the table.
        is_edges: The rows are edges between what both links lead to.
        notes: What was decided, each with what changes it.
    """

    profile: TableProfile
    kind: str
    key: ColumnProfile | None = None
    valued: Sequence[ColumnProfile] = ()
    links: list[Link] = field(default_factory=list[Link])
    is_edges: bool = False
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    thing: list[str] = field(init=False)
    id_names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.thing = words_of_header(self.kind)
        joined = "".join(self.thing)
        self.id_names = frozenset({joined, *(joined + word for word in ID_WORDS)})

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.profile.table.name

    def link_of(self, column: ColumnProfile) -> Link | None:
        """Return what a column leads to."""
        return next((link for link in self.links if link.column is column), None)


def find_relations(
    staging: Staging, tables: Sequence[TableRelations], nodes: Sequence[str]
) -> None:
    """Find keys and links of tables, whose key is given where a person chose it.

    `nodes` are the names of tables whose rows stay nodes.
    """
    _Relating(staging, tables).relate(nodes)


def find_name_links(
    staging: Staging,
    tables: Sequence[TableRelations],
    names: Mapping[str, ColumnProfile],
    nodes: Sequence[str],
) -> list[TableRelations]:
    """Find columns of names of records; return the tables that have some.

    `names` are the columns, by table, whose values are the names of its rows, each of one row.
    """
    return _Relating(staging, tables).relate_names(names, nodes)


class _Relating:
    def __init__(self, staging: Staging, tables: Sequence[TableRelations]) -> None:
        self._staging, self._tables = staging, tables
        self._chosen = {table.name for table in tables if table.key}
        self._values: dict[ColumnProfile, Counter[int]] = {}
        self._items: dict[ColumnProfile, list[tuple[str | None, Counter[int]]]] = {}

    def relate(self, nodes: Sequence[str]) -> None:
        repeated = [
            {
                column.name.lower()
                for column in table.profile.columns.values()
                if column.distinct < column.filled
            }
            for table in self._tables
        ]
        tables_repeating = Counter(name for names in repeated for name in names)
        for table, own in zip(self._tables, repeated, strict=True):
            if not table.key:
                others = {
                    name
                    for other in self._tables
                    if other is not table
                    for name in (*other.id_names, *other.thing)
                }
                names = (
                    column.name.lower()
                    for column in table.profile.columns.values()
                    if others.isdisjoint(("".join(column.parts), *column.parts[-1:]))
                )
                elsewhere = {name for name in names if tables_repeating[name] > (name in own)}
                table.key = _declared_key(table) or _likely_key(table, elsewhere)
        for table in self._tables:
            table.links += self._declared(table)
        if len(self._tables) > 1:
            for table in self._tables:
                self._find_ends(table)
        # All ids in one table: a column is compared with those of all tables at once.
        self._collect({table.name: _id_text(table.key) for table in self._tables if table.key})
        for table in self._tables:
            for column in table.profile.columns.values():
                if column.filled and self._is_free(table, column):
                    table.links += self._found(table, column)
        self._settle(self._tables, nodes)

    def relate_names(
        self, names: Mapping[str, ColumnProfile], nodes: Sequence[str]
    ) -> list[TableRelations]:
        self._collect({name: folded_name(column.read) for name, column in names.items()})
        related = list[TableRelations]()
        for table in self._tables:
            free = [
                column
                for column in table.profile.columns.values()
                if self._is_free(table, column) and self._may_hold_names(column)
            ]
            if links := [link for c in free for link in self._names_of(table, c, names)]:
                table.links += links
                related.append(table)
        self._settle(related, nodes)
        return related

    def _collect(self, ids: Mapping[str, str]) -> None:
        """Store the ids or names of all tables in one, which a column is compared with at once."""
        selects = " UNION ALL ".join(
            f"SELECT {at} AS t, {ids[table.name]} AS id FROM {table.profile.table.relation}"  # noqa: S608
            for at, table in enumerate(self._tables)
            if table.name in ids
        )
        stored = selects or "SELECT 0 AS t, NULL AS id"
        self._staging.run(f"CREATE OR REPLACE TEMP TABLE ids AS {stored}")

    def _settle(self, tables: Sequence[TableRelations], nodes: Sequence[str]) -> None:
        """Bring the links of tables into order, and decide whose rows are edges.

        Only once all links are known: rows to which others lead are nodes.
        """
        for table in tables:
            order = list(table.profile.columns.values())
            table.links.sort(key=lambda link: order.index(link.column))
            table.is_edges = table.name not in nodes and self._are_edges(table)

    def _is_free(self, table: TableRelations, column: ColumnProfile) -> bool:
        return column not in table.valued and not table.link_of(column)

    def _may_hold_names(self, column: ColumnProfile) -> bool:
        """Return whether a column has words, no sentences; in the one table, only by its header."""
        if len(self._tables) == 1 and (ROLES | SAME_TABLE).isdisjoint(column.parts):
            return False
        is_worded = column.letters >= WORDY and column.words < MIN_PROSE_WORDS
        return column.type == "LIST" or (column.type == "TEXT" and is_worded)

    def _names_of(
        self, table: TableRelations, column: ColumnProfile, names: Mapping[str, ColumnProfile]
    ) -> Iterator[Link]:
        """Yield the reference of a column whose values are names of records, if there is one.

        Numbers, dates, yes and no, and codes are none, and equal values alone say nothing: the
        header names the other table, or is that of its names, and then all must be there.
        """
        read = column.read
        if column.split or column.type == "LIST":
            items = (
                f"string_split({column.read}, {literal(column.split)})"
                if column.split
                else column.read
            )
            read = f"unnest({items})"
        found = self._ids_among(
            f"SELECT {folded_name(read)} AS v FROM {table.profile.table.relation}"  # noqa: S608
        )
        best: tuple[float, Link] | None = None
        for at, target in enumerate(self._tables):
            missing, hits = self._lacking(found, target), found[at]
            if hits < 2 or names[target.name] is column:
                continue
            named = _names_record(column, names[target.name], target, is_own=target is table)
            if not named:
                continue
            if column is names.get(table.name) and target is not table:
                is_own_thing = (
                    singular(column.parts[-1]) == table.thing[-1] if column.parts else True
                )
                if is_own_thing or (named < 2 and self._tables.index(table) < at):
                    continue
            allowed = BY_NAME if named == 2 else CODED if found[ALL] >= MANY else 0
            if missing <= allowed * found[ALL]:
                score = named - missing / found[ALL]
                if best is None or score > best[0]:
                    best = score, Link(column, target, missing, column.split, by_name=True)
        if best:
            link = best[1]
            lacking = (
                f"; {link.missing:,} of {plural(found[ALL], 'name')} are not there"
                if link.missing
                else ""
            )
            what = f"{column.name} holds names of {link.target.name}{lacking}"
            table.notes.append((what, f"links.{column.name} in the map"))
            yield link

    def _declared(self, table: TableRelations) -> Iterator[Link]:
        by_name = {other.name.lower(): other for other in self._tables}
        for reference in table.profile.table.references:
            target = by_name.get(reference.table.lower())
            if target is None:
                continue
            if len(reference.columns) > 1:
                columns = ", ".join(reference.columns)
                what = f"{columns} refer to {target.name} together; they stay columns"
                table.notes.append((what, "join them into one column"))
            elif (
                link := self._declared_link(table, reference, target)
            ) and link.column not in table.valued:
                yield link

    def _declared_link(
        self, table: TableRelations, reference: Reference, target: TableRelations
    ) -> Link | None:
        column = table.profile.column(reference.columns[0])
        key = target.profile.column(reference.others[0]) if reference.others else target.key
        if not column or not column.filled or not key or not _is_unique(key, target):
            return None
        if key is not target.key:
            if target.name in self._chosen or target.profile.table.key:
                what = f"{column.name} refers to {key.name} of {target.name}; it stays a column"
                table.notes.append((what, f"--key {target.name}.{key.name}"))
                return None
            target.key = key
        for id_column in (key, column):
            if id_column.type not in (*WHOLE, "TEXT"):  # dates and decimals are ids as written
                id_column.type, id_column.read = "TEXT", id_column.cell
        return Link(column, target, self._missing(table, column, target))

    def _find_ends(self, table: TableRelations) -> None:
        """Find a table of links between records of one other table: source and target."""
        columns = table.profile.columns.values()
        ends = [[c for c in columns if c.filled and words & set(c.parts)] for words in ENDS]
        if any(len(found) != 1 for found in ends) or ends[0] == ends[1]:
            return
        undeclared = [end for (end,) in ends if not table.link_of(end)]
        if not undeclared or any(end in table.valued for (end,) in ends):
            return
        for other in self._tables:
            if other is table:
                continue
            kept, known = other.key, other.name in self._chosen or other.profile.table.key
            unique = [c for c in other.profile.columns.values() if _is_unique(c, other)]
            for key in [kept] if known else sorted(unique, key=lambda c: c is not kept):
                other.key = key
                if key and all(not self._missing(table, end, other) for (end,) in ends):
                    table.links += [Link(end, other) for end in undeclared]
                    return
            other.key = kept

    def _found(self, table: TableRelations, column: ColumnProfile) -> Iterator[Link]:
        """Yield the likeliest reference of a column, if there is one."""
        best: tuple[float, Link] | None = None
        words, scattered = _words_without_id(column), ""
        for target in self._tables:
            if target.key and target.key is not column:
                named = _named_after(column, words, target)
                found = self._reference(table, column, target, named)
                if found and (best is None or found[0] > best[0]):
                    best = found
                lacking = self._lacking(self._values.get(column, Counter()), target)
                if named >= SAME_NAME and 0 < lacking < column.distinct:
                    values = plural(column.distinct, "value")
                    scattered = f"{target.name}: {lacking:,} of {values} are not there"
        if scattered and not best:
            what = f"{column.name} is no link to {scattered}"
            table.notes.append((what, f"links.{column.name} in the map"))
        if best:
            score, link = best
            of, count = f"{link.target.name}.{link.target.key.name}", ""  # pyright: ignore[reportOptionalMemberAccess]
            if link.missing:
                values = plural(column.distinct, "value")
                count = f"; {link.missing:,} of {values} are not there"
            if score < 2 or link.missing:
                what = f"{column.name} holds ids of {of}{count}"
                table.notes.append((what, f"links.{column.name} in the map"))
            yield link

    def _reference(
        self, table: TableRelations, column: ColumnProfile, target: TableRelations, named: float
    ) -> tuple[float, Link] | None:
        key = target.key
        assert key is not None
        is_role = target.thing[-1] in PERSONS and not ROLES.isdisjoint(column.parts)
        is_staff = target.thing[-1] in STAFF and not STAFF_ROLES.isdisjoint(column.parts)
        if table is target:
            named = 0.0
            is_role = is_role or not SAME_TABLE.isdisjoint(column.parts)
            is_role = is_role or {"reports", "to"} <= {*column.parts}
        if is_role and not named:
            named = BY_ROLE + 0.2 * is_staff + 0.1 * (table is target)
        if column is table.key and not self._is_owned(table, column, target, named):
            return None
        is_code = column.coded >= 0.5 and column.codes >= 0.95 and table is not target
        is_code = is_code and column.distinct >= MIN_CODES and column.type == key.type == "TEXT"
        if _are_alike(column, key) and (named or is_code):
            is_full = named >= SAME_NAME and len(key.name) > 3
            share = BY_FULL_NAME if is_full else BY_NAME if named else CODED
            if 0 < named < 1 or not (named or column.distinct >= MANY):
                share = 0
            if column not in self._values:
                values = f"SELECT {_id_text(column)} AS v FROM {table.profile.table.relation}"  # noqa: S608
                self._values[column] = self._ids_among(values)
            missing = self._lacking(self._values[column], target)
            slips = 1 if named >= 2 and column.distinct > 2 else 0
            if missing <= max(slips, share * column.distinct):
                return named - missing / column.distinct, Link(column, target, missing)
        return self._listed(table, column, target, named)

    def _listed(
        self, table: TableRelations, column: ColumnProfile, target: TableRelations, named: float
    ) -> tuple[float, Link] | None:
        """Return the reference of a column whose cells hold several ids."""
        key = target.key
        assert key is not None
        is_list = column.type == "LIST"
        if not is_list and (column.type != "TEXT" or column.words >= MIN_PROSE_WORDS):
            return None
        if key.type != "TEXT" and not named:
            return None
        if column not in self._items:
            self._items[column] = list(self._split(table.profile.table.relation, column))
        for separator, found in self._items[column]:
            distinct, missing = found[ALL], self._lacking(found, target)
            allowed = CODED * distinct if distinct >= MANY else 0
            if distinct and missing <= allowed:
                return named + 0.5, Link(column, target, missing, separator)
        return None

    def _split(
        self, relation: str, column: ColumnProfile
    ) -> Iterator[tuple[str | None, Counter[int]]]:
        """Yield what separates items of a column, and how many are ids of each table."""
        splits: dict[str | None, str] = {
            separator: f"string_split({column.read}, {literal(separator)})"
            for separator in SEPARATORS
            if column.separated.get(separator)
        }
        for separator, items in ({None: column.read} if column.type == "LIST" else splits).items():
            values = f"SELECT trim(unnest({items})) AS v FROM {relation}"  # noqa: S608
            yield separator, self._ids_among(values)

    def _ids_among(self, values: str) -> Counter[int]:
        """Return how many different values a query gives, and how many are ids of each table."""
        rows = self._staging.run(
            f"WITH v AS (SELECT DISTINCT v FROM ({values}) WHERE v <> '') "  # noqa: S608
            f"SELECT {ALL}, count(*) FROM v UNION ALL "
            "SELECT t, count(DISTINCT v) FROM v JOIN ids ON id = v GROUP BY t"
        )
        return Counter(dict(rows.fetchall()))

    def _lacking(self, found: Counter[int], target: TableRelations) -> int:
        return found[ALL] - found[self._tables.index(target)]

    def _is_owned(
        self, table: TableRelations, column: ColumnProfile, target: TableRelations, named: float
    ) -> bool:
        """Return whether a key is that of another table, whose records the rows complete."""
        key = target.key
        if table is target or key is None:
            return False
        if _named_after(column, _words_without_id(column), table) < named:
            return True
        is_later = self._tables.index(table) > self._tables.index(target)
        if not is_later or column.parts != key.parts or column.type != key.type:
            return False
        # The same numbers with the same gaps: two tables about the same things.
        gaps = column.type in WHOLE and column.high - column.low + 1 >= 1.05 * column.distinct
        return named > 0 or bool(gaps and column.distinct == key.distinct >= MANY)

    def _missing(self, table: TableRelations, column: ColumnProfile, target: TableRelations) -> int:
        """Return how many values of a column are no ids of a table."""
        key = target.key
        assert key is not None
        return self._staging.row(
            f"SELECT count(DISTINCT v) FROM (SELECT {_id_text(column)} AS v "  # noqa: S608
            f"FROM {table.profile.table.relation}) AS t WHERE v NOT IN "
            f"(SELECT {_id_text(key)} FROM {target.profile.table.relation})"
        )[0]

    def _are_edges(self, table: TableRelations) -> bool:
        """Return whether rows are edges: two references, and no name or text of their own.

        As nodes stay the rows of which edges would lose some; that is noted.
        """
        profile = table.profile
        if len(table.links) != 2 or table.valued or any(link.split for link in table.links):
            return False
        ends = [link.column for link in table.links]
        if table.key in ends:
            return False
        if any(link.target is table for other in self._tables for link in other.links):
            return False
        others = [c for c in profile.columns.values() if c.filled and c not in ends]
        if len(others) > MAX_EDGE_COLUMNS or (table.key and table.key.type == "TEXT"):
            return False
        named = any(column.parts[-1:] in (["name"], ["title"]) for column in others)
        if named or any(map(_is_prose, others)):
            return False
        if problem := self._edge_problem(table, (*ends, *others)):
            table.notes.append(
                (f"{problem}: its rows are nodes, since as edges some would be lost", "the file")
            )
        return not problem

    def _edge_problem(self, table: TableRelations, columns: Sequence[ColumnProfile]) -> str:
        """Return why edges would lose rows of a table of links; "" where they do not."""
        profile = table.profile
        for link in table.links:
            if link.missing:
                values = plural(link.missing, "value")
                return f"{values} of {link.column.name} not in {link.target.name}"
            if empty := profile.rows - link.column.filled:
                return f"{link.column.name} is empty in {plural(empty, 'row')}"
        cells = ", ".join(column.cell for column in columns)
        different = f"SELECT count(DISTINCT ({cells})) FROM {profile.table.relation}"  # noqa: S608
        equal = 0 if table.key else profile.rows - self._staging.row(different)[0]
        return f"{plural(equal, 'row')} equal to others" if equal else ""


def _is_prose(column: ColumnProfile) -> bool:
    return column.type == "TEXT" and column.words >= MIN_PROSE_WORDS and column.letters >= 0.5


def _id_text(column: ColumnProfile) -> str:
    """Return the SQL of an id as text; the cell of a number may have a point: 7.0."""
    return f"({column.read})::VARCHAR" if column.type in WHOLE else column.read


def folded_name(read: str) -> str:
    """Return the SQL of a name as names are compared: case and runs of spaces do not count."""
    return f"lower(regexp_replace(trim({read}), '\\s+', ' ', 'g'))"


def _is_unique(column: ColumnProfile, table: TableRelations) -> bool:
    return 0 < column.filled == column.distinct == table.profile.rows


def _are_alike(column: ColumnProfile, key: ColumnProfile) -> bool:
    is_plain = not (column.form and column.form.note)
    return is_plain and (column.type in WHOLE or (column.type == key.type == "TEXT"))


def _words_without_id(column: ColumnProfile) -> list[str]:
    """Return the words of a header without those that say id: Order IDs -> order."""
    words = list(column.parts)
    while len(words) > 1 and words[-1] in ID_WORDS:
        words.pop()
    return [*words[:-1], *map(singular, words[-1:])]


def _named_after(column: ColumnProfile, words: list[str], target: TableRelations) -> float:
    """Return how well a column is named after a table or its key, 0 to 3."""
    key, thing = target.key, target.thing
    if not key or not words:
        return 0
    if words == thing or "".join(column.parts) in target.id_names:
        return 3
    if column.parts == key.parts and _is_telling(key):
        return SAME_NAME
    if words[-len(thing) :] == thing:  # billing_customer_id
        return 2
    return 1 if words[-1:] == thing[-1:] and column.parts[-1] in ID_WORDS else 0


def _names_record(
    column: ColumnProfile, name: ColumnProfile, target: TableRelations, *, is_own: bool
) -> int:
    """Return how well a header says that its values are names of records, 0 to 2."""
    words = [word for word in column.parts if word not in (*ID_WORDS, "name", "title")]
    if target.thing[-1] in PERSONS and not (ROLES | {"person"}).isdisjoint(words):
        return 2
    if is_own:
        return 0 if SAME_TABLE.isdisjoint(words) else 2
    if words and singular(words[-1]) == target.thing[-1]:
        return 2
    is_telling = words != [] and (GIVEN | FAMILY | OF_MANY).isdisjoint(words)
    return int(column.parts == name.parts and is_telling)


def _is_telling(column: ColumnProfile) -> bool:
    """Return whether a header says whose id it is: product_id, not id."""
    return len(column.parts) > 1 or not {*column.parts} <= {*KEYS, "name"} - {"isbn", "sku"}


def _declared_key(table: TableRelations) -> ColumnProfile | None:
    """Return the declared key, if it is one column and identifies the rows."""
    declared = table.profile.table.key
    column = table.profile.column(declared[0]) if len(declared) == 1 else None
    if column is None or not _is_unique(column, table):
        return None
    is_number = column.type in WHOLE and column.low >= 0 and column.high < 1 << 53
    if column.type != "TEXT" and not is_number:
        column.type, column.read = "TEXT", column.cell
    return column


def _likely_key(table: TableRelations, repeated: Collection[str]) -> ColumnProfile | None:
    """Return the column that identifies the rows, never a measure; None numbers them.

    Of several, that which rows of another table repeat is the one to refer to.
    """
    profile, how = table.profile, "--key COLUMN"
    columns = [column for column in profile.columns.values() if column.filled]
    scored = [
        (_key_score(table, place, column, repeated), -place, column)
        for place, column in enumerate(columns)
        if _is_unique(column, table)
    ]
    best = max(scored, key=lambda item: item[:2], default=None)
    if best and best[0] > MIN_KEY_SCORE:
        if sum(score > MIN_KEY_SCORE for score, *_ in scored) > 1:
            table.notes.append((f"the key is {best[2].name}", how))
        return best[2]
    what = "no column identifies the rows, so they are numbered"
    if column := next((column for column in columns if column.parts == ["id"]), None):
        repeats = plural(profile.rows - column.distinct, "row")
        what = f"id does not identify the rows ({repeats} repeat it or lack it)"
        what = f"{what}, so the rows are numbered"
    table.notes.append((what, how))
    return None


def _key_score(
    table: TableRelations, place: int, column: ColumnProfile, repeated: Collection[str]
) -> int:
    parts = column.parts or [""]
    is_id = parts[-1] in KEYS or parts[-1].endswith(KEY_ENDS) or "id" in parts
    is_text = column.type == "TEXT"
    if not is_text and column.type not in WHOLE:
        return -1
    if is_text and (column.codes < 0.99 or column.links > 0.2 or column.units > 200):
        return -1
    is_used = column.name.lower() in repeated and _is_telling(column)
    if (is_text and column.coded < 0.5 and not (is_id or is_used)) or (
        place and POSTAL & set(parts)
    ):
        return -1
    score = (60 if is_id else 0) + (20 if parts in (["id"], table.thing) else 0) - place
    if MEASURES & set(parts) and not is_id:
        score -= 100
    if is_id and is_used:
        score += 60
    if is_text:
        return score + (25 if column.units <= 40 else -15)
    if column.low < 0 or column.high >= 1 << 53:
        return -1
    is_dense = column.high - column.low + 1 <= 1.5 * table.profile.rows + 10
    return score + (20 if is_dense and not place else 15 if is_dense and is_id else 0)
