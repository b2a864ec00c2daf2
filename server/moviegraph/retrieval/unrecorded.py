"""Records a call that ended before any execution of it was recorded: nothing leaves no trace."""

import json

from moviegraph.errors import JournalError
from moviegraph.retrieval.recording import Recording
from moviegraph.retrieval.session import Call, Session


def record_failure(session: Session, call: Call, error: Exception) -> None:
    """Record a call that was refused, failed or cancelled, unless one of its parts says so."""
    if call.ledger.recorded or isinstance(error, JournalError):
        return
    recording = Recording(session, call, _given(call), started=call.began)
    recording.details["models"] = call.ledger.take_all()
    recording.fail(error)


def record_asked(session: Session, call: Call, statements: int) -> None:
    """Record a call that ends by asking for the client's model; the client's next call goes on."""
    recording = Recording(session, call, _given(call), started=call.began)
    recording.attempts += call.ledger.take_all_rejected()
    recording.record(
        status="asked",
        notes=(f"Requesting repair of {statements} of the statements from the client's model.",),
        models=call.ledger.take_all(),
        elapsed_ms=recording.elapsed,
    )


def _given(call: Call) -> str:
    return json.dumps(call.given, ensure_ascii=False, default=str)
