"""Languages of texts: the names that SQL Server has for them, its numbers, and their tags."""

LOCALES = {
    " ".join(row.split()[:-1]): int(row.split()[-1])
    for row in """
    ARABIC 1025; BRAZILIAN 1046; BRITISH ENGLISH 2057; BULGARIAN 1026; CROATIAN 1050; CZECH
    1029; DANISH 1030; DUTCH 1043; ENGLISH 1033; ESTONIAN 1061; FINNISH 1035; FRENCH 1036;
    GERMAN 1031; GREEK 1032; HUNGARIAN 1038; ITALIAN 1040; JAPANESE 1041; KOREAN 1042; LATVIAN
    1062; LITHUANIAN 1063; NORWEGIAN 2068; POLISH 1045; PORTUGUESE 2070; ROMANIAN 1048;
    RUSSIAN 1049; SIMPLIFIED CHINESE 2052; SLOVAK 1051; SLOVENIAN 1060; SPANISH 3082; SWEDISH
    1053; THAI 1054; TRADITIONAL CHINESE 1028; TURKISH 1055
    """.split(";")
}
ENGLISH = "ENGLISH"
NEUTRAL = 0
"""The number of no language: words are split at spaces, and not inflected."""
# Of ISO 639-1, with a region where SQL Server distinguishes it.
TAGS = {
    row.split()[0]: " ".join(row.split()[1:])
    for row in """
    ar ARABIC; bg BULGARIAN; ca CATALAN; cs CZECH; da DANISH; de GERMAN; el GREEK; en ENGLISH; es
    SPANISH; et ESTONIAN; eu BASQUE; fi FINNISH; fr FRENCH; ga IRISH; hi HINDI; hr CROATIAN; hu
    HUNGARIAN; hy ARMENIAN; id INDONESIAN; it ITALIAN; ja JAPANESE; ko KOREAN; lt LITHUANIAN; lv
    LATVIAN; nb NORWEGIAN; nl DUTCH; no NORWEGIAN; pl POLISH; pt PORTUGUESE; pt-br BRAZILIAN; ro
    ROMANIAN; ru RUSSIAN; sk SLOVAK; sl SLOVENIAN; sr SERBIAN; sv SWEDISH; ta TAMIL; th THAI; tr
    TURKISH; zh SIMPLIFIED CHINESE; zh-tw TRADITIONAL CHINESE
    """.split(";")
}


def language_name(language: str) -> str:
    """Return the name of a contract's language: de, de-AT or German -> GERMAN; "" if unknown."""
    tag = language.strip().lower().replace("_", "-")
    name = TAGS.get(tag) or TAGS.get(tag.partition("-")[0])
    return name or (tag.upper() if tag.upper() in {*LOCALES, *TAGS.values()} else "")


def is_english(language: str) -> bool:
    """Return whether a contract's language is English, of any region."""
    return language_name(language) == ENGLISH


def locale_number(language: str) -> int:
    """Return the number (LCID) of a contract's language for full text."""
    return LOCALES.get(language_name(language), NEUTRAL)
