"""Slips that a regular expression finds in the text without its literals, and what to write."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from moviegraph.repair.context import Correction, Edit, RefusedStatement, correct

PARENTHESES = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
NAME = r"(?:\w+\.){0,2}[\w$]+"
TEXT = r"N?'[^']*'"
LITERAL = rf"(?:{TEXT}|\d+(?:\.\d+)?)"
COMPARISON = r"(?:<>|<=|>=|=|<|>|LIKE\b)"
OPERAND = rf"(?:@Q|\w+{PARENTHESES}|{PARENTHESES}|{TEXT}|{NAME})"
BEGINS = r"((?:\bWHERE|\bAND|\bOR|\bON|\bNOT|\()\s*)"
ENDS = r"(?:\Z|AND\b|OR\b|\)|;|ORDER\b|GROUP\b|HAVING\b)"
NEXT_CLAUSE = r"(?:FROM|WHERE|GROUP|ORDER|HAVING|UNION|EXCEPT|INTERSECT)\b|[),;]|\Z"
ONCE = (
    r"SELECT|FROM|WHERE|BY|IN|LIKE|AS|IS|BETWEEN|JOIN|THEN|ELSE|END|DISTINCT|INNER|LEFT|RIGHT|FULL|"
    r"CROSS|OUTER|UNION|DESC|ASC|NULL|EXISTS|ON|HAVING|WHEN|AND|OR"
)
SIGNS = {"=>": ">=", "=<": "<=", "!=": "<>", ">=": ">=", "<=": "<=", "<>": "<>"}
NEGATED_SIGNS = {"NOT=": "<>", "NOT<": ">=", "NOT>": "<=", "NOT<=": ">", "NOT>=": "<"}
Replacement = str | Callable[[RefusedStatement, list[str]], str | None]


@dataclass(frozen=True, slots=True)
class PatternRule:
    """A rule of expressions and replacements.

    The expressions are matched on the text in upper case, with an x for each character of a
    literal, _ for each of a delimited name and spaces for comments. In a replacement {1} is the
    first group as it was written; a function gets all groups, and returns None to leave it.
    """

    name: str
    effect: str
    why: str
    forms: tuple[tuple[re.Pattern[str], Replacement], ...]

    def __call__(self, statement: RefusedStatement) -> Correction | None:
        """Return the edits of every match."""
        edits: list[Edit] = []
        for form, replacement in self.forms:
            for match in form.finditer(statement.masked):
                groups = [
                    statement.sql[slice(*match.span(number))] if match.span(number)[0] >= 0 else ""
                    for number in range(len(match.groups()) + 1)
                ]
                if isinstance(replacement, str):
                    text = replacement.format(*groups)
                else:
                    text = replacement(statement, groups)
                if text is not None:
                    edits.append(Edit(*match.span(), text))
        return correct(edits, self.why)


def rewrite(name: str, effect: str, why: str, *forms: tuple[str, Replacement]) -> PatternRule:
    """Return a rule of (expression, replacement) pairs."""
    compiled = tuple((re.compile(form, re.DOTALL), text) for form, text in forms)
    return PatternRule(name, effect, why, compiled)


def _sign(_statement: RefusedStatement, groups: list[str]) -> str | None:
    sign = "".join(groups[0].upper().split())
    return SIGNS.get(sign) or NEGATED_SIGNS.get(sign)


def _fewest(_statement: RefusedStatement, groups: list[str]) -> str:
    return f"{groups[1]}{min(int(groups[2]), int(groups[4]))}{groups[3]}"


def _unescaped(_statement: RefusedStatement, groups: list[str]) -> str | None:
    """Return the text of E'...' where it escapes nothing."""
    return None if "\\" in groups[1] else groups[1]


escaped_breaks = rewrite(
    "escaped_breaks",
    "A \\n written out between words is a line break.",
    r"\n and \t stood for line breaks and spaces.",
    (r"\\(?:R\\N|N|R|T)", "\n"),
)
top_place = rewrite(
    "top_place",
    "DISTINCT comes before TOP, and TOP directly after SELECT.",
    "Its form is SELECT DISTINCT TOP 10 ...",
    (
        rf"\bSELECT\s+(TOP\s*(?:{PARENTHESES}|\d+))\s+DISTINCT\b",
        "SELECT DISTINCT {1}",
    ),
    (
        (
            r"\A(\s*SELECT(?:\s+DISTINCT)?)(?=\s)(?!\s+TOP\b)((?:(?!\bOFFSET\b).)*?)\s+"
            r"TOP\s+(\d+)(?=\s*;?\s*\Z)"
        ),
        "{1} TOP {3}{2}",
    ),
)
top_and_limit = rewrite(
    "top_and_limit",
    "Of TOP n and LIMIT m the smaller limits the rows.",
    "T-SQL has TOP and no LIMIT; the smaller of the two counts.",
    (
        (
            r"\b(SELECT\s+(?:DISTINCT\s+)?TOP\s+)(\d+)\b((?:(?!\bSELECT\b).)*?)\s+"
            r"LIMIT\s+(\d+)(?=\s*(?:;|\)|\Z))"
        ),
        _fewest,
    ),
)
text_after = rewrite(
    "text_after",
    "Prose after the semicolon is dropped, and BEGIN and END around the statement.",
    "Only the statement is run, without the text around it.",
    (
        r";\s*(?:THIS|THE|IT|NOTE|HERE|THESE)\b:?(?:\s+[^\W\d]+){2}(?!.*\b(?:DROP|DELETE|INSERT|UPDATE|EXEC|ALTER)\b)[^;]*\Z",
        "",
    ),
    (r"\A\s*BEGIN\s+(?=SELECT\b|WITH\b)(.*?)\s*;?\s*\bEND\s*;?\s*\Z", "{1}"),
)
first_rows = rewrite(
    "first_rows",
    "SELECT FIRST 5 and SELECT LIMIT 5 are SELECT TOP 5.",
    "T-SQL cuts rows with TOP.",
    (r"\bSELECT\s+(DISTINCT\s+)?(?:FIRST|LIMIT)\s+(\d+)", "SELECT {1}TOP {2}"),
)
compared_predicate = rewrite(
    "compared_predicate",
    "CONTAINS(...) = 1 is CONTAINS(...), and = 0 its negation.",
    "CONTAINS, FREETEXT and EXISTS are conditions, not values.",
    (
        rf"\b((?:CONTAINS|FREETEXT|EXISTS)\s*{PARENTHESES})\s*==?\s*(?:1|TRUE)\b",
        "{1}",
    ),
    (
        rf"\b((?:CONTAINS|FREETEXT|EXISTS)\s*{PARENTHESES})\s*==?\s*(?:0|FALSE)\b",
        "NOT {1}",
    ),
)
half_comparison = rewrite(
    "half_comparison",
    "An x >= 1 AND <= 9 compares x twice; so does LIKE 'a' OR LIKE 'b', and = 'a' OR 'b'.",
    "Each comparison names both of its sides.",
    (
        (
            rf"{BEGINS}({NAME})(\s+(?:NOT\s+)?{COMPARISON}\s*{LITERAL}\s+(?:AND|OR)\s+)"
            rf"(?=(?:NOT\s+)?{COMPARISON})"
        ),
        "{1}{2}{3}{2} ",
    ),
    *(
        (
            rf"{BEGINS}({LITERAL}\s*{sign}=?\s*)({NAME})(\s*{sign}=?\s*{LITERAL})(?=\s*{ENDS})",
            "{1}{2}{3} AND {3}{4}",
        )
        for sign in "<>"
    ),
    (
        rf"{BEGINS}({NAME})(\s*)(=|LIKE\b)(\s*{LITERAL}\s+OR\s+)(?={LITERAL}\s*{ENDS})",
        "{1}{2}{3}{4}{5}{2} {4} ",
    ),
)
bare_pattern = rewrite(
    "bare_pattern",
    "LIKE %star% lacks the quotes around its pattern.",
    "A pattern is a string in single quotes.",
    (r"\bLIKE\s+(%(?![SD]\b)\w[\w%]*|\w+%[\w%]*)", "LIKE '{1}'"),
)
bare_list = rewrite(
    "bare_list",
    "IN 1, 2, 3 lacks its parentheses; so does IN 'a'.",
    "The list after IN is enclosed in parentheses.",
    (rf"\bIN\s+({LITERAL}(?:\s*,\s*{LITERAL})*)", "IN ({1})"),
)
query_hint = rewrite(
    "query_hint",
    "OPTION (...) and WITH (NOLOCK) are removed.",
    "Hints change how a statement runs, not what it returns.",
    (rf"\s*\bOPTION\s*{PARENTHESES}", ""),
    (rf"\s*\bWITH\s*(?=\(\s*(?:NOLOCK|READUNCOMMITTED|INDEX)\b){PARENTHESES}", ""),
)
cast_query = rewrite(
    "cast_query",
    "CAST(@q AS VECTOR(384)) is @q, which is a vector already.",
    "@q is a vector; it needs no cast.",
    (rf"\bCAST\s*\(\s*@Q\s+AS\s+VECTOR\s*(?:{PARENTHESES})?\s*\)", "@q"),
    (r"\b(?:EMBED|EMBEDDING|VECTORIZE|TO_EMBEDDING|(?:TO_)?VECTOR)\s*\(\s*@Q\s*\)", "@q"),
    (rf"@Q\s*::\s*\w+(?:{PARENTHESES}|_+)?", "@q"),
    (r"\bVECTOR\.SIMILARITY\.COSINE(?=\s*\()", "COSINE_SIMILARITY"),
)
sure_slip = rewrite(
    "sure_slip",
    "What can be no T-SQL anywhere: `, FROM`, `AND )`, `ORDER x`, `BETWEEN a TO b`, `= =`.",
    "A word or character was missing, doubled or misplaced; only so the statement parses.",
    (rf",(?=\s*(?:{NEXT_CLAUSE}))", ""),
    (r"\)\s*,(?=\s*SELECT\b)", ")"),
    (rf"\s*\b(?:AND|OR)(?!\s+WHERE\b)(?=\s*(?:{NEXT_CLAUSE}|LIMIT\b))", ""),
    (r"(\b(?:WHERE|ON|HAVING|WHEN)\s|\()\s*(?:AND|OR)\b\s*", "{1}"),
    (rf"\b({ONCE})\s+\1\b", "{1}"),
    (r"(?<!\.)(?<!\bAS )(?<!WITHIN )\b(GROUP|ORDER)(?=\s+(?!BY\b)[^\W\d])", "{1} BY"),
    (r"((?:\bSELECT|\bDISTINCT|\bBY|,)\s+\w+\.\w+)\s+(?=\w+\.\w+)", "{1}, "),
    (rf"\bBETWEEN\s+({OPERAND})\s*(?:\bTO\b|,)", "BETWEEN {1} AND"),
    (rf"\bBETWEEN\s+(?!AND\b)({NAME})\s+({LITERAL}\s+AND\b)", "{1} BETWEEN {2}"),
    (r"\b(DESC|ASC)ENDING\b(?=\s*(?:,|;|\)|\Z|LIMIT\b|OFFSET\b))", "{1}"),
    (r"[<>!]\s+=|<\s+>|=\s*[<>]|\bNOT\s*(?:<=|>=|=|<|>)", _sign),
    (r"\b(WHERE|ON|HAVING|AND)\s+TRUE\s+AND\b", "{1}"),
    (rf"(?<!LEFT )(?<!RIGHT )(?<!FULL )(?<!OUTER )(\bJOIN\s+{NAME}(?:\s+\w+)?\s+)WHERE\b", "{1}ON"),
    (rf"(?<![\w@])E({TEXT})", _unescaped),
    (r"\b(?:METRIC|VECTOR[12]?)\s*=>\s*", ""),
    (r"\bPUBLIC\s*\.\s*(?=\w)", ""),
    (r"\bIS\s+NOT\s+EQUAL(?:\s+TO)?\b", "<>"),
    (r"\bCOUNT\s*\*(?!\s*\))", "COUNT(*)"),
)

match_form = rewrite(
    "match_form",
    "MATCH a-(e)->b and MATCH(a)-(e)->(b) are MATCH(a-(e)->b); a=(e)=>b is a-(e)->b.",
    "Its form is MATCH(a-(e)->b).",
    (r"\bMATCH\s+(\w+(?:\s*<?-\(\w+\)->?\s*\w+)+)", "MATCH({1})"),
    (r"\bMATCH\s*\((\w+)\)((?:\s*<?-\(\w+\)->?\s*\(?\w+\)?)+)", "MATCH({1}{2})"),
    (r"=\((\w+)\)=>", "-({1})->"),
    (r"(?<=\{)(\d+)\.\.(?=\d+\})", "{1},"),
    (
        (
            r"(\bMATCH\s*\((?:[^()]|\(\w*\))*?)\s+AND\s+"
            rf"(\w+\.\w+\s*{COMPARISON}\s*{LITERAL})\s*\)"
        ),
        "{1}) AND {2}",
    ),
    (
        rf"((?:\bFROM|\bJOIN|,)\s*{NAME})\s+(?!FOR\b)(?:AS\s+)?(\w+)\s+FOR\s+PATH\b",
        "{1} FOR PATH AS {2}",
    ),
)
