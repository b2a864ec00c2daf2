"""Full text: what CONTAINS, FREETEXT and their table forms find, and in which order."""

from semantics.case import Case

CONTAINS = "t-sql/queries/contains-transact-sql"
FREETEXT = "t-sql/queries/freetext-transact-sql"
CONTAINSTABLE = "relational-databases/system-functions/containstable-transact-sql"
FREETEXTTABLE = "relational-databases/system-functions/freetexttable-transact-sql"
QUERY = "relational-databases/search/query-with-full-text-search"
NEAR = "relational-databases/search/search-for-words-close-to-another-word-with-near"
RANK = "relational-databases/search/limit-search-results-with-rank"
STOPLIST = (
    "relational-databases/search/configure-and-manage-stopwords-and-stoplists-for-full-text-search"
)
THESAURUS = "relational-databases/search/configure-and-manage-thesaurus-files-for-full-text-search"
NOISE = "database-engine/configure-windows/transform-noise-words-server-configuration-option"


def finds(
    condition: str, ids: tuple[int, ...], rule: str, source: str, columns: str = "m.Content"
) -> Case:
    """Return the case of the films that a CONTAINS condition finds."""
    text = condition.replace("'", "''")
    sql = f"SELECT m.Id FROM Movie AS m WHERE CONTAINS({columns}, N'{text}')"
    return Case(
        f"{condition} in {columns}", rule, source, sql, tuple((node_id,) for node_id in ids)
    )


def refuses(condition: str, rule: str, source: str) -> Case:
    """Return the case of a CONTAINS condition that is no condition."""
    text = condition.replace("'", "''")
    sql = f"SELECT m.Id FROM Movie AS m WHERE CONTAINS(m.Content, N'{text}')"
    return Case(f"no condition: {condition}", rule, source, sql, error="fulltext_syntax")


PHRASE = "a word or phrase is matched exactly, whatever its case; the words stand in that order"
PUNCTUATION = "punctuation between words is ignored"
PREFIX = "the asterisk before the closing quote matches zero or more characters"
EACH_PREFIX = "in a phrase with an asterisk every word is a prefix of its own"
LOGIC = "AND and & demand both, OR and | either, AND NOT and &! the first without the second"
ORDER = "parentheses come first, then NOT before AND before OR"
NOT = "NOT stands behind AND only: never first, never behind OR"
ANYWHERE = "without a distance, or with MAX, the terms may stand any number of words apart"
DISTANCE = "the distance counts the words between the first and the last term"
INNER = "terms between the first and the last are not counted in the distance"
STOP_GAP = "stop words between the terms count in the distance"
MATCH_ORDER = "TRUE demands the written order, FALSE (the default) allows any"
OVERLAP = "occurrences of the terms never overlap"
TWO_TERMS = "NEAR takes at least two terms"
MANY_TERMS = "NEAR takes at most 64 terms"
FORMS = "INFLECTIONAL finds the tenses of a verb and the singular and plural of a noun"
EMPTY = "the thesaurus files are empty as installed: a word without synonyms is a simple term"
WEIGHTS = "weights from 0.0 to 1.0 change ranks, not what is found"
WEIGHT_RANGE = "a weight is a number from 0.0 to 1.0"
STOPPED = "stop words are not in the index, so none is found"
POSITION = "a stop word that is left out keeps its position: any word fits there"
NOISY = "a term of stop words alone makes AND, AND NOT and NEAR find nothing"

CASES: tuple[Case, ...] = (
    finds("PLANET", (1, 3), PHRASE, CONTAINS),
    finds('"desert planet"', (1, 3), PHRASE, CONTAINS),
    finds('"planet desert"', (), PHRASE, CONTAINS),
    finds("amélie", (5,), PHRASE, CONTAINS, "m.Name"),
    finds('"planet joins"', (), POSITION, STOPLIST),
    finds('"rebels flee young pilot"', (), POSITION, STOPLIST),
    finds('"flee a young"', (2,), PUNCTUATION, CONTAINS),
    finds('"machine dream"', (), PHRASE, CONTAINS),
    finds('"machine\'s dream"', (8,), PHRASE, QUERY),
    finds('"reb*"', (1, 2, 3), PREFIX, CONTAINS),
    finds('"rebels*"', (1, 2), PREFIX, CONTAINS),
    finds('"des pla*"', (1, 3), EACH_PREFIX, CONTAINS),
    finds('"pla des*"', (), EACH_PREFIX, CONTAINS),
    finds('"far bo lea*"', (1,), EACH_PREFIX, QUERY),
    finds('"r*bels"', (), "an asterisk before other letters is punctuation, no wildcard", QUERY),
    finds("rebels AND desert", (1,), LOGIC, CONTAINS),
    finds("rebels & desert", (1,), LOGIC, CONTAINS),
    finds("rebels AND NOT desert", (2,), LOGIC, CONTAINS),
    finds("rebels &! desert", (2,), LOGIC, CONTAINS),
    finds("poodle OR waitress", (5, 6), LOGIC, CONTAINS),
    finds("poodle | waitress", (5, 6), LOGIC, CONTAINS),
    finds("poodle OR waitress AND hacker", (6,), ORDER, CONTAINS),
    finds("(poodle OR waitress) AND Paris", (5,), ORDER, CONTAINS),
    finds("boy AND NOT planet OR swamp", (2, 6), ORDER, CONTAINS),
    refuses("NOT planet", NOT, CONTAINS),
    refuses("planet OR NOT boy", NOT, CONTAINS),
    refuses("& planet", LOGIC, CONTAINS),
    refuses("star wars", "several words are a phrase only in double quotes", CONTAINS),
    refuses("(planet", LOGIC, CONTAINS),
    refuses("", "a condition holds at least one term", CONTAINS),
    finds("farm NEAR planet", (1,), ANYWHERE, CONTAINS),
    finds("farm ~ planet ~ rebels", (1,), "chained terms must all be there", CONTAINS),
    finds('NEAR(farm, "desert planet")', (1,), ANYWHERE, CONTAINS),
    finds("NEAR((farm, empire), MAX)", (1,), ANYWHERE, CONTAINS),
    finds("NEAR((farm, planet), 4)", (1,), DISTANCE, CONTAINS),
    finds("NEAR((farm, planet), 3)", (), STOP_GAP, NEAR),
    finds("NEAR((farm, desert, planet), 3)", (1,), INNER, CONTAINS),
    finds("NEAR((farm, desert, planet), 2)", (), INNER, CONTAINS),
    finds('NEAR((boy, "desert planet", rebels), 4)', (1,), INNER, NEAR),
    finds('NEAR((boy, "desert planet", rebels), 3)', (), INNER, NEAR),
    finds("NEAR((planet, farm), 9)", (1,), MATCH_ORDER, NEAR),
    finds("NEAR((planet, farm), 9, TRUE)", (), MATCH_ORDER, NEAR),
    finds("NEAR((planet, farm), MAX, FALSE)", (1,), MATCH_ORDER, CONTAINS),
    finds("NEAR((planet, farm), MAX, TRUE)", (), MATCH_ORDER, CONTAINS),
    finds("NEAR((farm, planet), MAX, TRUE)", (1,), MATCH_ORDER, CONTAINS),
    finds('NEAR(("pl*", "far*"), 5)', (1,), "a term of NEAR may be a prefix", CONTAINS),
    finds("NEAR(mouse, mouse)", (), OVERLAP, NEAR),
    finds('NEAR("desert planet", "planet and joins")', (), OVERLAP, NEAR),
    finds("NEAR((farm, boy), 0) AND rebels", (1,), "NEAR joins other terms by AND", NEAR),
    refuses("NEAR(farm)", TWO_TERMS, CONTAINS),
    refuses(f"NEAR({', '.join(['farm'] * 65)})", MANY_TERMS, CONTAINS),
    refuses("NEAR((farm, planet), -1)", "a distance is a whole number from 0", CONTAINS),
    refuses("NEAR((farm, planet), 4294967296)", "a distance is at most 4294967295", CONTAINS),
    refuses("NEAR((farm, planet), TRUE)", "the order needs a distance before it", CONTAINS),
    refuses("NEAR(farm, planet, 5)) ", "a distance needs the terms in parentheses", CONTAINS),
    finds("FORMSOF(INFLECTIONAL, run)", (7,), FORMS, QUERY),
    finds("FORMSOF(INFLECTIONAL, mouse)", (7,), FORMS, QUERY),
    finds("FORMSOF(INFLECTIONAL, rebel)", (1, 2), FORMS, QUERY),
    finds("FORMSOF(INFLECTIONAL, life)", (5,), FORMS, QUERY),
    finds("FORMSOF(INFLECTIONAL, hunting, leading)", (3, 4), FORMS, CONTAINS),
    finds('FORMSOF(INFLECTIONAL, "farm boys")', (1,), FORMS, CONTAINS),
    finds("FORMSOF(THESAURUS, mouse)", (7,), EMPTY, THESAURUS),
    finds("FORMSOF(THESAURUS, run)", (), EMPTY, THESAURUS),
    refuses("FORMSOF(run)", "FORMSOF names what it generates", CONTAINS),
    refuses("FORMSOF(INFLECTIONAL, (a OR b))", "FORMSOF takes simple terms", CONTAINS),
    finds("ISABOUT(ship WEIGHT(.9), swamp WEIGHT(0.1))", (2, 4), WEIGHTS, CONTAINS),
    finds("ISABOUT(ship WEIGHT(0.0), swamp)", (2, 4), WEIGHTS, CONTAINS),
    finds('ISABOUT("shi*", FORMSOF(INFLECTIONAL, mouse))', (4, 7), WEIGHTS, QUERY),
    refuses("ISABOUT(ship WEIGHT(1.1))", WEIGHT_RANGE, CONTAINS),
    refuses("ISABOUT(ship WEIGHT(-0.1))", WEIGHT_RANGE, CONTAINS),
    refuses("ISABOUT((ship OR swamp) WEIGHT(0.1))", "ISABOUT weighs single terms", CONTAINS),
    finds("the", (), STOPPED, STOPLIST),
    finds('"is*"', (), STOPPED, STOPLIST),
    finds('"leaves his desert"', (1,), POSITION, STOPLIST),
    finds('"leaves the desert"', (1,), POSITION, STOPLIST),
    finds('"leaves desert"', (), POSITION, STOPLIST),
    finds('"leads a rebellion"', (3,), POSITION, STOPLIST),
    finds("boy AND the", (), NOISY, NOISE),
    finds("boy AND NOT the", (), NOISY, NOISE),
    finds("boy NEAR the", (), NOISY, NOISE),
    Case(
        "a list of columns is searched together",
        "the columns of a list are searched, others are not",
        CONTAINS,
        "SELECT m.Id FROM Movie AS m WHERE CONTAINS((m.Name, m.Content), 'wolf OR poodle')",
        ((6,),),
    ),
    Case(
        "an asterisk searches every indexed column",
        "* searches all full-text indexed columns of the table",
        CONTAINS,
        "SELECT m.Id FROM Movie AS m WHERE CONTAINS(*, 'wolf OR rebels')",
        ((1,), (2,), (6,)),
    ),
    Case(
        "a language may be given by number, hexadecimal number or name",
        "the language is a number, a hexadecimal number or an alias",
        CONTAINS,
        "SELECT m.Id FROM Movie AS m WHERE CONTAINS(m.Name, 'wolf', LANGUAGE 1033) AND "
        "CONTAINS(m.Name, 'wolf', LANGUAGE 0x409) AND FREETEXT(m.Name, 'wolf', LANGUAGE 'English')",
        ((6,),),
    ),
    Case(
        "another language breaks and inflects words its own way",
        "the language given decides on word breaking, stemming and stop words",
        CONTAINS,
        "SELECT m.Id FROM Movie AS m WHERE CONTAINS(m.Name, 'wolf', LANGUAGE 'German')",
        ((6,),),
        gaps={"embedded": "the index holds English words"},
    ),
    Case(
        "several predicates join by AND, OR and NOT",
        "the predicates combine with others like any condition",
        QUERY,
        "SELECT m.Id FROM Movie AS m WHERE NOT CONTAINS(m.Content, 'rebels') "
        "AND (FREETEXT(m.Content, 'planet') OR CONTAINS(m.Name, 'wolf'))",
        ((3,), (6,)),
    ),
    Case(
        "a predicate may stand in CASE",
        "the predicates are true or false of a row",
        QUERY,
        "SELECT SUM(CASE WHEN CONTAINS(m.Content, 'planet') THEN 1 ELSE 0 END) AS n "
        "FROM Movie AS m",
        ((2,),),
    ),
    Case(
        "a predicate may stand in HAVING",
        "the predicates stand in WHERE or HAVING",
        QUERY,
        "SELECT m.Id FROM Movie AS m GROUP BY m.Id, m.Name HAVING CONTAINS(m.Name, 'wolf')",
        ((6,),),
    ),
    Case(
        "free text finds any form of any word",
        "FREETEXT breaks the text into words and finds any inflected form of any of them",
        FREETEXT,
        "SELECT m.Id FROM Movie AS m WHERE FREETEXT(m.Content, 'running hunt')",
        ((4,), (7,)),
    ),
    Case(
        "free text reads no operators",
        "keywords and wildcards of CONTAINS are plain words or nothing to FREETEXT",
        FREETEXT,
        "SELECT m.Id FROM Movie AS m WHERE FREETEXT(m.Content, 'poodle AND \"swam*\" NOT (crew')",
        ((4,), (6,)),
    ),
    Case(
        "free text of stop words finds nothing",
        "stop words are discarded from free text",
        FREETEXT,
        "SELECT m.Id FROM Movie AS m WHERE FREETEXT(m.Content, 'the and of')",
    ),
    Case(
        "the table function gives the key and a rank from 0 to 1000",
        "CONTAINSTABLE returns KEY, unique, and RANK, from 0 to 1000",
        CONTAINSTABLE,
        "SELECT k.[KEY], IIF(k.[RANK] BETWEEN 0 AND 1000, 1, 0) AS ranked "
        "FROM CONTAINSTABLE(Movie, Content, 'planet') AS k",
        ((1, 1), (3, 1)),
    ),
    Case(
        "more of the words asked for rank higher",
        "a row with two of two colours ranks above a row with one of them",
        CONTAINSTABLE,
        "SELECT k.[KEY] FROM CONTAINSTABLE(Movie, Content, 'boy OR farm') AS k "
        "ORDER BY k.[RANK] DESC",
        ((1,), (6,)),
    ),
    Case(
        "the heavier term ranks higher",
        "WEIGHT affects the rank in CONTAINSTABLE",
        CONTAINS,
        "SELECT k.[KEY] FROM CONTAINSTABLE(Movie, Content, "
        "'ISABOUT(ship WEIGHT(0.1), swamp WEIGHT(0.9))') AS k ORDER BY k.[RANK] DESC",
        ((2,), (4,)),
    ),
    Case(
        "only the best n are returned",
        "top_n_by_rank returns the n highest ranked matches",
        RANK,
        "SELECT k.[KEY] FROM CONTAINSTABLE(Movie, Content, 'boy OR farm', LANGUAGE 1033, 1) AS k",
        ((1,),),
    ),
    Case(
        "FREETEXTTABLE ranks and joins like a table",
        "FREETEXTTABLE returns KEY and RANK, to be joined with the table",
        FREETEXTTABLE,
        "SELECT m.Name FROM FREETEXTTABLE(Movie, (Name, Content), 'runs up clocks', 5) AS k "
        "JOIN Movie AS m ON m.Id = k.[KEY]",
        (("alien",),),
    ),
    Case(
        "a table function may stand in a subquery",
        "the key column can specify selection criteria",
        QUERY,
        "SELECT m.Name FROM Movie AS m WHERE m.Id IN "
        "(SELECT k.[KEY] FROM CONTAINSTABLE(Movie, *, 'wolf') AS k)",
        (("100% Wolf",),),
    ),
    Case(
        "a CTE has no full-text index",
        "full-text predicates work on a table with a full-text index",
        CONTAINS,
        "WITH c AS (SELECT m.Name FROM Movie AS m) SELECT c.Name FROM c "
        "WHERE CONTAINS(c.Name, 'wolf')",
        error="wrong_arguments",
    ),
)
