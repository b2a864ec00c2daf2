"""How a pass of the guard says no: raised inside, turned into Refused at the edge of judge()."""

from moviegraph.errors import Span
from moviegraph.sql.decision import Refused


class RefusalError(Exception):
    """Carries a Refused out of a pass; never leaves the sql floor."""

    def __init__(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        suggestions: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.refused = Refused(code, message, span, suggestions)
