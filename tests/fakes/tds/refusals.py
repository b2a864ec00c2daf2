"""Log-ins that the server refuses, in the words of SQL Server."""

from fakes.tds.script import Fail

WRONG_PASSWORD = Fail(18456, "Login failed for user 'reader'.", 14)
TOKEN_WITHOUT_USER = Fail(18456, "Login failed for user '<token-identified principal>'.", 14)
EXPIRED_TOKEN = Fail(18456, f"{TOKEN_WITHOUT_USER.message} Token is expired.", 14)
PAUSED = Fail(40613, "Database 'kb' on server 'srv' is not currently available.", 17)
