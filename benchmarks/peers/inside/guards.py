"""Validation of statements by a public guard, inside its environment.

The argument is the guard; a JSON list of statements is read from standard input, and a list of true
(it would run) and false (refused) is written to standard output.
"""

import json
import re
import sys


def mcp_mssql_query():
    from src.server import validate_query

    return lambda sql: validate_query(sql) is None


def wrenai():
    import sqlglot
    from wren.policy import validate_read_only_ast

    def is_allowed(sql):
        trees = sqlglot.parse(sql, dialect="tsql")
        if len(trees) != 1 or trees[0] is None:
            return False
        validate_read_only_ast(trees[0])
        return True

    return is_allowed


def sql_explorer_mcp():
    from sql_explorer_mcp.safety import validate_query

    return lambda sql: validate_query(sql, "mssql").passed


def pymssql_mcp():
    from mssql_mcp.utils.safety import SQLValidator

    validator = SQLValidator([], read_only=True)
    return lambda sql: validator.validate(sql)[0]


def mssql_mcp_server():
    # Its check is inside the tool: the allowed first words of a statement.
    first_word = re.compile(r"^\s*(SELECT|WITH|SHOW)\b", re.IGNORECASE)
    return lambda sql: first_word.match(sql) is not None


def dreez_mssql_mcp():
    from dreez_mssql_mcp.server import _WRITE_KEYWORDS

    return lambda sql: _WRITE_KEYWORDS.search(sql) is None


def main():
    is_allowed = globals()[sys.argv[1]]()
    verdicts = []
    for sql in json.load(sys.stdin):
        try:
            verdicts.append(bool(is_allowed(sql)))
        except Exception:  # noqa: BLE001 - a failing guard refuses
            verdicts.append(False)
    json.dump(verdicts, sys.stdout)


if __name__ == "__main__":
    main()
