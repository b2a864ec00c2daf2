import pytest

from moviegraph.engines.embedded.stemmer import Stemmer

SAME = """
run ran; run running; write wrote; write written; go went; go gone; drive drove; drive driven;
fly flew; fly flies; steal stolen; fight fought; think thought; catch caught; bring brought;
sing sang; swim swum; hide hidden; fall fallen; break broken; bear born; find found; lie lay;
leave left; leave leaves; live lives; see saw; begin began; overthrow overthrew; rebuild rebuilt;
be was; have had; do did; panic panicked; free freed;
mouse mice; child children; foot feet; tooth teeth; woman women; man men; wolf wolves;
werewolf werewolves; knife knives; life lives; leaf leaves; thief thieves; goose geese; ox oxen;
person people; salesman salesmen; crisis crises; analysis analyses; criterion criteria;
matrix matrices; hero heroes; bus buses; quiz quizzes; sibling siblings;
movie movies; family families; city cities; spy spies; witch witches; box boxes; boss bosses;
actress actresses; princess princesses; key keys; monkey monkeys;
love loves; love loved; love loving; hope hoping; hop hopped; stop stopped; plan planning;
create creating; kill killed; travel travelled; travel traveling; agree agreed; play played;
marry married; carry carrying; die dying; tie tied; judge judged; dance dancing; escape escaping;
survive survives; believe believed; chase chased; occur occurring; control controlled;
kidnap kidnapped; murder murders; admit admitted; bully bullied; argue arguing; wish wished
"""
APART = """
university universe; new news; hop hope; hopping hoping; sing single; bus business; policy police;
hero heroin; star stare; starred stared; plane plan; planned planed; organ organize;
animal animate; general generate; past paste; bath bathe; breath breathe; cloth clothe;
evening even; morning morn; nothing noth; wicked wick; good better; man mane; win wine; rob robe;
ship shipment; act actor; play player; us use; mars mar; singing singeing; scared scarred;
car care; hat hate; hats hates; desert dessert; mat mate; filing filling; secret secrete;
during dure; specimen speciman; bed be; string str
"""


def pairs(text: str) -> list[str]:
    return [" ".join(pair.split()) for pair in text.split(";")]


def test_there_are_pairs_enough() -> None:
    assert len(pairs(SAME)) >= 60
    assert len(pairs(APART)) >= 30


@pytest.mark.parametrize("pair", pairs(SAME))
def test_inflected_forms_share_a_stem(pair: str) -> None:
    first, other = pair.split()
    assert set(Stemmer().stems(first)) & set(Stemmer().stems(other))


@pytest.mark.parametrize("pair", pairs(APART))
def test_other_words_do_not(pair: str) -> None:
    first, other = pair.split()
    assert not set(Stemmer().stems(first)) & set(Stemmer().stems(other))


@pytest.mark.parametrize("word", ["42", "1980s", "é", "東京", "ß", "s"])
def test_what_has_no_english_ending_has_a_stem_of_its_own(word: str) -> None:
    assert Stemmer().stems(word) == (word,)
