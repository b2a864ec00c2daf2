"""Detector of passwords in ODBC connection strings, for the secret scan."""

# The library requires class attributes, which it declares as properties.
# pyright: reportAssignmentType=false, reportIncompatibleMethodOverride=false

import re

from detect_secrets.plugins.base import RegexBasedDetector

MIN_PASSWORD_CHARS = 6


class ConnectionPasswordDetector(RegexBasedDetector):
    """Finds `PWD=` after a server, driver, source or user, unless the value is a placeholder."""

    secret_type = "Password in a Connection String"
    denylist = (
        re.compile(
            r"(?i)\b(?:server|driver|dsn|uid|user id)\s*=[^\n]*?\b(?:pwd|password)\s*=\s*"
            r"(?![.*$<%]|\{\w*\}|password\b)"
            rf"([^\s;\"'`]{{{MIN_PASSWORD_CHARS},}})"
        ),
    )
