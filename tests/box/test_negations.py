"""Every film of the box can be left out by its name, whatever signs and words that holds."""

from box.graph import Box

from moviegraph.retrieval.negations import Known, negations, possible_names


def left_out(question: str, names: frozenset[str]) -> list[str]:
    """Return what a question leaves out in a graph of such names."""
    held = names.intersection(each.casefold() for each in possible_names(question))
    return [each.what.strip('"') for each in negations(question, Known(held))]


def test_every_film_can_be_left_out_by_its_name(box: Box) -> None:
    names = [film.name for film in box.of("Movie")]
    held = frozenset(each.casefold() for each in names)
    for question in ("films in space but not {}", "films except {}, please", 'but not "{}"'):
        cut = [each for each in names if left_out(question.format(each), held) != [each]]
        assert not cut


def test_every_film_in_quotes_can_be_left_out_where_no_names_are_known(box: Box) -> None:
    names = [film.name for film in box.of("Movie")]
    assert not [each for each in names if left_out(f'but not "{each}"', frozenset()) != [each]]
