"""The languages that LANGUAGE names: aliases of sys.syslanguages, and their locale identifiers."""

LANGUAGES = {
    "ARABIC": 1025,
    "BRAZILIAN": 1046,
    "BRITISH ENGLISH": 2057,
    "BULGARIAN": 1026,
    "CROATIAN": 1050,
    "CZECH": 1029,
    "DANISH": 1030,
    "DUTCH": 1043,
    "ENGLISH": 1033,
    "ESTONIAN": 1061,
    "FINNISH": 1035,
    "FRENCH": 1036,
    "GERMAN": 1031,
    "GREEK": 1032,
    "HUNGARIAN": 1038,
    "ITALIAN": 1040,
    "JAPANESE": 1041,
    "KOREAN": 1042,
    "LATVIAN": 1062,
    "LITHUANIAN": 1063,
    "NORWEGIAN": 2068,
    "POLISH": 1045,
    "PORTUGUESE": 2070,
    "ROMANIAN": 1048,
    "RUSSIAN": 1049,
    "SIMPLIFIED CHINESE": 2052,
    "SLOVAK": 1051,
    "SLOVENIAN": 1060,
    "SPANISH": 3082,
    "SWEDISH": 1053,
    "THAI": 1054,
    "TRADITIONAL CHINESE": 1028,
    "TURKISH": 1055,
}
LARGEST = 0x7FFFFFFF


def locale_of(text: str, *, hexadecimal: bool = False) -> int | None:
    """Return the locale identifier that a name, number or hexadecimal value stands for."""
    named = LANGUAGES.get(text.strip().upper())
    if named is not None and not hexadecimal:
        return named
    digits = text.strip()
    if not digits.isascii() or not digits.isalnum() or len(digits) > 10:
        return None
    try:
        value = int(digits, 16 if hexadecimal else 10)
    except ValueError:
        return None
    return value if value <= LARGEST else None
