"""A detector of passwords in connection strings of ODBC, for the scan for secrets."""

# The library asks for plain attributes of the class, which it declares as properties.
# pyright: reportAssignmentType=false, reportIncompatibleMethodOverride=false

import re

from detect_secrets.plugins.base import RegexBasedDetector

SHORTEST = 6
"""Characters of a password that is worth telling."""


class ConnectionPasswordDetector(RegexBasedDetector):
    """Finds `PWD=` behind a server, driver, source or user; not what stands for a password."""

    secret_type = "Password in a Connection String"
    denylist = (
        re.compile(
            r"(?i)\b(?:server|driver|dsn|uid|user id)\s*=[^\n]*?\b(?:pwd|password)\s*=\s*"
            r"(?![.*$<%]|\{\w*\}|password\b)"
            rf"([^\s;\"'`]{{{SHORTEST},}})"
        ),
    )
