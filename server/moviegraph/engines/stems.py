"""Reduces English words to a common stem of their inflected forms, irregular ones included."""

import re

VOWEL = re.compile(r"[aeiouy]")
DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1$")
SHORT = re.compile(r"[^aeiou][aeiouy][^aeiouwxy]$")
RUNS = re.compile(r"[aeiouy]+[^aeiouy]+")
IRREGULAR_FORMS = """
be am is are was were been being
have has had having
do does did done doing
go goes went gone going
say says said saying
make makes made making
take takes took taken taking
come comes came coming
see sees saw seen seeing
know knows knew known knowing
get gets got gotten getting
give gives gave given giving
find finds found finding
think thinks thought thinking
tell tells told telling
become becomes became becoming
leave leaves left leaving
feel feels felt feeling
bring brings brought bringing
begin begins began begun beginning
keep keeps kept keeping
hold holds held holding
write writes wrote written writing
stand stands stood standing
hear hears heard hearing
mean means meant meaning
meet meets met meeting
run runs ran running
pay pays paid paying
sit sits sat sitting
speak speaks spoke spoken speaking
lie lies lay lain lying
lead leads led leading
read reads reading
grow grows grew grown growing
lose loses lost losing
fall falls fell fallen falling
send sends sent sending
build builds built building
understand understands understood understanding
draw draws drew drawn drawing
break breaks broke broken breaking
spend spends spent spending
cut cuts cutting
rise rises rose risen rising
drive drives drove driven driving
buy buys bought buying
wear wears wore worn wearing
choose chooses chose chosen choosing
seek seeks sought seeking
throw throws threw thrown throwing
catch catches caught catching
deal deals dealt dealing
win wins won winning
forget forgets forgot forgotten forgetting
fight fights fought fighting
teach teaches taught teaching
eat eats ate eaten eating
sing sings sang sung singing
strike strikes struck stricken striking
hang hangs hung hanged hanging
shake shakes shook shaken shaking
ride rides rode ridden riding
feed feeds fed feeding
shoot shoots shot shooting
drink drinks drank drunk drinking
hit hits hitting
arise arises arose arisen arising
fly flies flew flown flying
spread spreads spreading
sleep sleeps slept sleeping
cost costs costing
beat beats beaten beating
light lights lit lighting
bind binds bound binding
bite bites bit bitten biting
bleed bleeds bled bleeding
blow blows blew blown blowing
breed breeds bred breeding
burn burns burnt burned burning
cling clings clung clinging
creep creeps crept creeping
dig digs dug digging
dream dreams dreamt dreamed dreaming
flee flees fled fleeing
fling flings flung flinging
forbid forbids forbade forbidden forbidding
forgive forgives forgave forgiven forgiving
freeze freezes froze frozen freezing
grind grinds ground grinding
hide hides hid hidden hiding
kneel kneels knelt kneeling
lay lays laid laying
leap leaps leapt leaped leaping
learn learns learnt learned learning
lend lends lent lending
mistake mistakes mistook mistaken mistaking
overcome overcomes overcame overcoming
prove proves proved proven proving
ring rings rang rung ringing
sell sells sold selling
sew sews sewed sewn sewing
shine shines shone shining
show shows showed shown showing
shrink shrinks shrank shrunk shrinking
sink sinks sank sunk sinking
slay slays slew slain slaying
slide slides slid sliding
spin spins spun spinning
spring springs sprang sprung springing
steal steals stole stolen stealing
stick sticks stuck sticking
sting stings stung stinging
swear swears swore sworn swearing
sweep sweeps swept sweeping
swell swells swelled swollen swelling
swim swims swam swum swimming
swing swings swung swinging
tear tears tore torn tearing
undergo undergoes underwent undergone undergoing
undertake undertakes undertook undertaken undertaking
wake wakes woke woken waking
weave weaves wove woven weaving
weep weeps wept weeping
withdraw withdraws withdrew withdrawn withdrawing
man men
woman women
child children
person people persons
foot feet
tooth teeth
goose geese
mouse mice
louse lice
ox oxen
wolf wolves
wife wives
life lives
knife knives
thief thieves
leaf leafs
elf elves
dwarf dwarves dwarfs
half halves
shelf shelves
self selves
calf calves
loaf loaves
scarf scarves scarfs
hero heroes
echo echoes
potato potatoes
tomato tomatoes
gentleman gentlemen
policeman policemen
fireman firemen
fisherman fishermen
businessman businessmen
crisis crises
analysis analyses
oasis oases
phenomenon phenomena
criterion criteria
datum data
medium media
alumnus alumni
cactus cacti
fungus fungi
genius geniuses
die dies died dying
tie ties tied tying
leaf leaves
live lives lived living
use uses used using
bear bears bore borne born bearing
bend bends bent bending
bet bets betting
burst bursts bursting
dwell dwells dwelt dwelled dwelling
foresee foresees foresaw foreseen foreseeing
lean leans leant leaned leaning
mislead misleads misled misleading
outgrow outgrows outgrew outgrown outgrowing
outrun outruns outran outrunning
overhear overhears overheard overhearing
oversee oversees oversaw overseen overseeing
overtake overtakes overtook overtaken overtaking
overthrow overthrows overthrew overthrown overthrowing
quit quits quitting
rebuild rebuilds rebuilt rebuilding
redo redoes redid redone redoing
remake remakes remade remaking
retell retells retold retelling
rewrite rewrites rewrote rewritten rewriting
set sets setting
shut shuts shutting
put puts putting
let lets letting
smell smells smelt smelled smelling
speed speeds sped speeded speeding
spell spells spelt spelled spelling
spill spills spilt spilled spilling
spit spits spat spitting
split splits splitting
spoil spoils spoilt spoiled spoiling
stride strides strode stridden striding
strive strives strove striven striving
tread treads trod trodden treading
undo undoes undid undone undoing
unwind unwinds unwound unwinding
uphold upholds upheld upholding
awake awakes awoke awoken awaking
wind winds wound winding
wound wounds wounded wounding
saw saws sawed sawn sawing
found founds founded founding
withhold withholds withheld withholding
withstand withstands withstood withstanding
free frees freed freeing
panic panics panicked panicking
mimic mimics mimicked mimicking
bias biases biased biasing
bus buses bused busing
gas gases gassed gassing
quiz quizzes quizzed quizzing
hoof hooves hoofs
index indices indexes indexed indexing
matrix matrices
vertex vertices
appendix appendices
axis axes
basis bases
diagnosis diagnoses
hypothesis hypotheses
thesis theses
bathe bathes bathed bathing
breathe breathes breathed breathing
clothe clothes clothed clothing
lathe lathes
paste pastes pasted pasting
secrete secretes secreted secreting
atlas atlases
lens lenses
news
chaos
christmas
mars
texas
us
something
nothing
anything
everything
evening evenings
morning mornings
ceiling ceilings
darling darlings
sibling siblings
duckling ducklings
viking vikings
hundred hundreds
sacred
wicked
naked
during
"""
PLURALS = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "wolves": "wolf",
    "wives": "wife",
    "shelves": "shelf",
    "teeth": "tooth",
    "feet": "foot",
}
NO_PLURALS = frozenset("abdomen acumen amen dolmen omen regimen specimen stamen yemen".split())


def _irregular() -> dict[str, tuple[str, ...]]:
    """Return the lemmas of each form: `leaves` is a form of `leave` and of `leaf`."""
    lemmas: dict[str, tuple[str, ...]] = {}
    for forms in (line.split() for line in IRREGULAR_FORMS.splitlines() if line):
        for form in forms:
            lemmas[form] = tuple(dict.fromkeys((*lemmas.get(form, ()), forms[0])))
    return lemmas


class Stemmer:
    """Plural, past, participle and gerund endings removed, by the first steps of Porter's rules."""

    def __init__(self) -> None:
        self._irregular = _irregular()

    def stems(self, word: str) -> tuple[str, ...]:
        """Return the stems of a lower-case word; other scripts and numbers stay as they are."""
        lemmas = self._irregular.get(word)
        if lemmas is not None:
            # No regular stem has this form, so "lay" and "lie" stay apart.
            return tuple(f"{lemma}=" for lemma in lemmas)
        regular = len(word) > 2 and word.isascii() and word.isalpha()
        stem = _ending(_plural(_compound(word))) if regular else word
        return (f"{word}=" if stem in self._irregular.get(stem, ()) else stem,)


def _compound(word: str) -> str:
    """Return the singular of a compound such as `werewolves` or `salesmen`."""
    for plural, singular in PLURALS.items():
        if word.endswith(plural) and len(word) > len(plural) + 2 and word not in NO_PLURALS:
            return word.removesuffix(plural) + singular
    return word


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("xes", "zes", "ches", "shes")):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _ending(word: str) -> str:
    if word.endswith("eed"):
        return _final(word[:-1] if _measure(word[:-3]) else word)
    for ending in ("ing", "ed"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) > 1 and VOWEL.search(rest):
            return _final(_restored(rest))
    return _final(word)


def _restored(rest: str) -> str:
    """Undo what the ending did: the e of `hop(e)ing`, the doubled letter of `hopping`."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if DOUBLED.search(rest) and not rest.endswith(("ll", "ss", "zz")):
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and SHORT.search(rest) else rest


def _final(word: str) -> str:
    if word.endswith("y") and len(word) > 2 and word[-2] not in "aeiou":
        return word[:-1] + "i"
    if word.endswith("ll") and _measure(word) > 1:
        return word[:-1]
    rest = word[:-1]
    measure = _measure(rest)
    if word.endswith("e") and (measure > 1 or (measure == 1 and not SHORT.search(rest))):
        return rest
    return word


def _measure(word: str) -> int:
    """Count the runs of vowels that consonants follow."""
    return len(RUNS.findall(word))
