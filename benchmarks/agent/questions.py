"""Questions in nine kinds, each with its expected answer and plan."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.agent.ground_truth import (
    Condition,
    Film,
    GroundTruth,
    commonest,
    counts_by_year,
    film_count,
    matching,
    newest,
    oldest,
    similar,
)
from benchmarks.agent.plans import (
    OLDEST,
    PlanStep,
    expanded,
    films,
    full_text,
    how_many,
    like_series,
    nearest,
    per_years,
    ranked,
    through,
    top_names,
)
from benchmarks.retrieval.queries import Query, halves, read_queries

KINDS = (
    "similar to, without",
    "character by name",
    "aggregate over a name",
    "place",
    "two sides",
    "combination of traits",
    "typical figures",
    "precise and temporal",
    "plot in other words",
)
RETOLD = ("plot", "archetype")


@dataclass(frozen=True, slots=True)
class Question:
    """One question with the function that computes its expected answer, and its plan."""

    kind: str
    text: str
    truth: Callable[[Sequence[Film]], GroundTruth]
    plan: tuple[PlanStep, ...]


def _links(text: str) -> tuple[tuple[str, str], ...]:
    parts = [part.partition(":") for part in text.split(";") if part.strip()]
    return tuple((kind.strip(), words.strip().casefold()) for kind, _, words in parts)


def _condition(has: str = "", lacks: str = "", years: str = "") -> Condition:
    first, _, last = years.partition("-")
    return Condition(
        _links(has), _links(lacks), int(first) if first else None, int(last) if last else None
    )


def _similar(series: str, idea: str) -> Question:
    return Question(
        KINDS[0],
        f"I have seen all {series} films, what else is similar?",
        lambda all_films: similar(all_films, series.casefold()),
        (
            expanded(like_series(series, "Theme")),
            like_series(series, "Setting", "Genre"),
            nearest(idea),
        ),
    )


def _character(name: str, text: str = "") -> Question:
    return Question(
        KINDS[1],
        text or f"In which films does {name} appear?",
        lambda all_films: matching(all_films, _condition(f"Character: {name}")),
        (expanded(films(has=f"Character: {name}")), full_text(f'"{name}"')),
    )


def _setting_question(place: str, more: str = "", text: str = "", *, setting: str = "") -> Question:
    """Return a question for films of a place; `setting` is its name in the graph if different."""
    links = f"Setting: {setting or place}" + (f"; {more}" if more else "")
    main_step = through("Setting", place, has=more) if setting else films(has=links)
    return Question(
        KINDS[3],
        text or f"Which films are set in {place}?",
        lambda all_films: matching(all_films, _condition(links)),
        (expanded(main_step), nearest(text or f"a story set in {place}")),
    )


def _comparison_question(text: str, *sides: str) -> Question:
    plan = [expanded(films(has=has), f"side {number}") for number, has in enumerate(sides, 1)]
    conditions = [_condition(links) for links in sides]
    return Question(
        KINDS[4], text, lambda all_films: matching(all_films, *conditions), (*plan, nearest(text))
    )


def _traits(text: str, links: str, *steps: PlanStep) -> Question:
    plan = (expanded(steps[0]), *steps[1:], nearest(text))
    return Question(KINDS[5], text, lambda all_films: matching(all_films, _condition(links)), plan)


def _typical(text: str, kind: str, has: str) -> Question:
    return Question(
        KINDS[6],
        text,
        lambda all_films: commonest(all_films, _condition(has), kind, 5),
        (top_names(kind, has=has),),
    )


def _precise(text: str, has: str = "", lacks: str = "", years: str = "") -> Question:
    return Question(
        KINDS[7],
        text,
        lambda all_films: matching(all_films, _condition(has, lacks, years)),
        (expanded(films(has=has, lacks=lacks, years=years)),),
    )


def _retold(query: Query) -> Question:
    """Return a question of the retrieval benchmark that no link answers."""
    names = frozenset(name.casefold() for name in query.films)
    return Question(
        KINDS[8],
        query.text,
        lambda all_films: GroundTruth(
            (frozenset(f.id for f in all_films if f.name.casefold() in names),)
        ),
        (expanded(nearest(query.text)), ranked(query.text)),
    )


def questions() -> list[Question]:
    """Return all questions; of those that retell plots, only the held-out ones."""
    queries = read_queries()
    _, held_out = halves(queries)
    retold = [query for query in queries if query.text in held_out and query.kind in RETOLD]
    return [*QUESTIONS, *map(_retold, retold)]


QUESTIONS: tuple[Question, ...] = (
    _similar("Star Wars", "rebels fight an evil empire among the stars"),
    _similar("Harry Potter", "a young wizard and his friends at a school of magic"),
    _similar("Rocky", "an underdog boxer trains for the fight of his life"),
    _similar("Alien", "a crew in space hunted by a deadly creature"),
    _similar("Toy Story", "toys come to life and look for their owner"),
    _similar("The Godfather", "the rise and fall of a crime family"),
    _character("Darth Vader"),
    _character("Ellen Ripley"),
    _character("Gandalf", "Find the films with the wizard Gandalf."),
    _character("Indiana Jones"),
    _character("Sherlock Holmes"),
    _character("James Bond"),
    Question(
        KINDS[2],
        "How many films does James Bond appear in?",
        lambda all_films: film_count(all_films, _condition("Character: James Bond")),
        (how_many(has="Character: James Bond"),),
    ),
    Question(
        KINDS[2],
        "How many Star Trek films are there?",
        lambda all_films: film_count(all_films, _condition("Series: Star Trek")),
        (how_many(has="Series: Star Trek"),),
    ),
    Question(
        KINDS[2],
        "In which years did films of Planet of the Apes come out, and how many?",
        lambda all_films: counts_by_year(all_films, _condition("Series: Planet of the Apes"), 1),
        (per_years(1, has="Series: Planet of the Apes"),),
    ),
    Question(
        KINDS[2],
        "Which genres do the films of Star Trek have, and how often each?",
        lambda all_films: commonest(all_films, _condition("Series: Star Trek"), "Genre", 5),
        (top_names("Genre", has="Series: Star Trek"),),
    ),
    Question(
        KINDS[2],
        "How many Westerns are there in each decade?",
        lambda all_films: counts_by_year(all_films, _condition("Genre: Western"), 10),
        (per_years(10, has="Genre: Western"),),
    ),
    Question(
        KINDS[2],
        "Which themes are commonest in the films of Harry Potter?",
        lambda all_films: commonest(all_films, _condition("Series: Harry Potter"), "Theme", 5),
        (top_names("Theme", has="Series: Harry Potter"),),
    ),
    _setting_question("Tokyo"),
    _setting_question("Rome"),
    _setting_question("Paris", "Genre: Romance", "Which romances are set in Paris?"),
    _setting_question("London", "Genre: Horror", "Which horror films are set in London?"),
    _setting_question(
        "jail", "Genre: Comedy", "Which comedies happen behind bars?", setting="Prison"
    ),
    _setting_question(
        "a ship under water", "", "Which films are set aboard a submarine?", setting="Submarine"
    ),
    _comparison_question(
        "How do films treat death: seriously, and in comedy?",
        "Theme: Death; Genre: Drama",
        "Theme: Death; Genre: Comedy",
    ),
    _comparison_question(
        "Marriage as a tragedy and as a joke: which films are there of both?",
        "Theme: Marriage; Genre: Drama",
        "Theme: Marriage; Genre: Comedy",
    ),
    _comparison_question(
        "Artificial intelligence as a friend in family films, and as a danger in thrillers",
        "Theme: Artificial Intelligence; Genre: Family",
        "Theme: Artificial Intelligence; Genre: Thriller",
    ),
    _comparison_question(
        "Revenge in the old West and revenge in space",
        "Theme: Revenge; Genre: Western",
        "Theme: Revenge; Genre: Science Fiction",
    ),
    _comparison_question(
        "Time travel: for laughs and for thrills",
        "Theme: Time Travel; Genre: Comedy",
        "Theme: Time Travel; Genre: Thriller",
    ),
    _traits(
        "Westerns about somebody who wants to get even",
        "Genre: Western; Theme: Revenge",
        through("Theme", "revenge", has="Genre: Western"),
    ),
    _traits(
        "Animated films about animals and friendship",
        "Genre: Animation; Theme: Friendship",
        films(has="Genre: Animation; Theme: Friendship"),
        full_text('"friends" AND "animal*"'),
    ),
    _traits(
        "Comedies where somebody travels through time",
        "Genre: Comedy; Theme: Time Travel",
        films(has="Genre: Comedy; Theme: Time Travel"),
        through("Theme", "travelling through time", has="Genre: Comedy"),
    ),
    _traits(
        "Science fiction with machines that think",
        "Genre: Science Fiction; Theme: Artificial Intelligence",
        through("Theme", "machines that think", has="Genre: Science Fiction"),
    ),
    _traits(
        "Horror films in a country house or small town with a serial killer",
        "Genre: Horror; Theme: Serial Killer",
        films(has="Genre: Horror; Theme: Serial Killer"),
        full_text('"serial killer"'),
    ),
    _traits(
        "Films about growing up in a time of war",
        "Theme: Coming of Age; Genre: War",
        films(has="Theme: Coming of Age; Genre: War"),
        through("Theme", "growing up", has="Genre: War"),
    ),
    _typical("Which themes are typical of Westerns?", "Theme", "Genre: Western"),
    _typical("Which characters recur in fantasy films?", "Character", "Genre: Fantasy"),
    _typical("Where do horror films typically happen?", "Setting", "Genre: Horror"),
    _typical("Who are the typical heroes of adventure films?", "Character", "Genre: Adventure"),
    _typical("Which themes are typical of science fiction?", "Theme", "Genre: Science Fiction"),
    _precise("Westerns of the 1960s", "Genre: Western", years="1960-1969"),
    _precise("Horror films from before 1960", "Genre: Horror", years="1800-1959"),
    _precise(
        "Science fiction about time travel since 2000",
        "Genre: Science Fiction; Theme: Time Travel",
        years="2000-",
    ),
    _precise(
        "Comedies set in Paris that are not romances",
        "Genre: Comedy; Setting: Paris",
        lacks="Genre: Romance",
    ),
    _precise("War films made between 1980 and 1989", "Genre: War", years="1980-1989"),
    Question(
        KINDS[7],
        "The five newest Westerns",
        lambda all_films: newest(all_films, _condition("Genre: Western"), 5),
        (films(has="Genre: Western", years="1800-", top=5),),
    ),
    Question(
        KINDS[7],
        "The five oldest science fiction films",
        lambda all_films: oldest(all_films, _condition("Genre: Science Fiction"), 5),
        (films(has="Genre: Science Fiction", years="1800-", order=OLDEST, top=5),),
    ),
)
