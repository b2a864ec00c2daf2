"""What one statement may have at most: the guard refuses more, and the rules for models say so."""

MAX_CHARACTERS = 8_000
MAX_TOKENS = 1_200
MAX_NESTING = 24  # of parentheses, CASE and prefix operators
MAX_OPERATORS = 100  # translating a longer chain comes near the depth that the interpreter has
MAX_STRING = 4_000
MAX_VALUES_OF_IN = 200
MAX_TABLES = 40
MAX_BRANCHES = 40  # of a UNION
MAX_SOURCES = 10  # of one FROM, without those FOR PATH
MAX_DERIVED = 6
MAX_ON_PATHS = 16
