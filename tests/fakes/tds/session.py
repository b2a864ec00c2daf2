"""One connection to the scripted server, from its log-in to its end."""

import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fakes.tds import packets, tokens
from fakes.tds.catalogue import type_information
from fakes.tds.login import Login, parse_login, prelogin_answer, welcome
from fakes.tds.packets import Wire
from fakes.tds.record import Attention, Connected, Record, Transaction
from fakes.tds.requests import Procedure, parse_batch, parse_procedure, parse_transaction
from fakes.tds.script import Affected, Call, Fail, HangUp, Info, LoginStep, Rows, Script, Step, Wait

TICK = 0.01
LoginScript = Callable[[Login], LoginStep | None]


class Attended(Exception):
    """The client sent an attention while its answer was on the way."""


@dataclass(slots=True)
class Session:
    """Reads requests and answers them by the script."""

    number: int
    wire: Wire
    record: Record
    script: Script
    log_in: LoginScript
    stopping: threading.Event
    _prepared: dict[int, tuple[str, str]] = field(default_factory=dict[int, tuple[str, str]])
    _transaction: int = 0

    def serve(self) -> None:
        """Answer until the client leaves; ConnectionError ends it."""
        while True:
            kind, payload = self.wire.read()
            match kind:
                case packets.PRELOGIN:
                    self._send(prelogin_answer(payload))
                case packets.LOGIN:
                    self._log_in(parse_login(payload))
                case packets.TRANSACTION:
                    self._change_transaction(parse_transaction(payload))
                case packets.ATTENTION:
                    self._attended()
                case packets.BATCH:
                    self._run(Call(self.number, parse_batch(payload)))
                case packets.RPC:
                    self._procedure(parse_procedure(payload))
                case _:
                    raise ConnectionError

    def _send(self, data: bytes) -> None:
        self.wire.write(data)
        self.wire.end()

    def _attended(self) -> None:
        self.record.add(Attention(self.number))
        self._send(tokens.done(status=tokens.ATTENTION))

    def _log_in(self, login: Login) -> None:
        self.record.add(Connected(self.number, login))
        match self.log_in(login):
            case Fail() as refusal:
                self._send(_error(refusal) + tokens.done(status=tokens.FAILED))
                raise ConnectionError
            case HangUp():
                raise ConnectionError
            case Wait() as wait:
                self._wait(wait)
            case None:
                pass
        self._send(welcome(login))

    def _change_transaction(self, kind: str) -> None:
        self.record.add(Transaction(self.number, kind))  # type: ignore[arg-type]
        if kind == "begin":
            self._transaction += 1
            changed = tokens.changed_bytes(tokens.BEGAN, self._descriptor())
        elif kind in ("commit", "rollback"):
            end_token = tokens.COMMITTED if kind == "commit" else tokens.ROLLED_BACK
            changed = tokens.changed_bytes(end_token, b"", self._descriptor())
        else:
            changed = b""
        self._send(changed + tokens.done())

    def _descriptor(self) -> bytes:
        return struct.pack("<Q", self._transaction)

    def _procedure(self, procedure: Procedure) -> None:
        name, parameters = procedure.name, procedure.parameters
        if name == "sp_unprepare":
            self._prepared.pop(parameters[0].value, None)
            self._answer([], procedure=True)
        elif name == "sp_prepare":
            self._answer([], procedure=True, handle=self._prepare(procedure))
        elif name == "sp_prepexec":
            handle = self._prepare(procedure)
            self._run(self._call(procedure, *self._prepared[handle], skip=3), handle)
        elif name == "sp_execute":
            statement = self._prepared[parameters[0].value]
            self._run(self._call(procedure, *statement, skip=1))
        elif name == "sp_executesql":
            sql, declared = parameters[0].value, parameters[1].value if parameters[1:] else ""
            self._run(self._call(procedure, sql, declared, skip=2))
        else:
            self._run(self._call(procedure, name, "", skip=0))

    def _prepare(self, procedure: Procedure) -> int:
        handle = len(self._prepared) + 1
        declared, sql = procedure.parameters[1].value, procedure.parameters[2].value
        self._prepared[handle] = (sql, declared or "")
        return handle

    def _call(self, procedure: Procedure, sql: str, declared: str, skip: int) -> Call:
        return Call(self.number, sql, procedure.parameters[skip:], procedure.name, declared)

    def _run(self, call: Call, handle: int | None = None) -> None:
        own = type_information(call)
        if own is None:
            self.record.add(call)
        steps = self.script(call) if own is None else [own]
        self._answer(steps, procedure=bool(call.procedure), handle=handle)

    def _answer(self, steps: Sequence[Step], *, procedure: bool, handle: int | None = None) -> None:
        try:
            failed = self._write(steps, procedure=procedure)
        except Attended:
            self._attended()
            return
        status = tokens.FAILED if failed else 0
        if procedure:
            self.wire.write(tokens.procedure_result(None if failed else handle))
            self.wire.write(tokens.done(tokens.DONE_PROCEDURE, status, command=tokens.EXECUTE))
        elif failed or not any(isinstance(step, Rows | Affected) for step in steps[-1:]):
            self.wire.write(tokens.done(status=status))
        self.wire.end()

    def _write(self, steps: Sequence[Step], *, procedure: bool) -> bool:
        failed = False
        for place, step in enumerate(steps, start=1):
            more = procedure or place < len(steps)
            match step:
                case Rows():
                    failed = self._rows(step, procedure=procedure, more=more) or failed
                case Affected(count):
                    self.wire.write(
                        _done_token(count, procedure=procedure, more=more, command=tokens.INSERT)
                    )
                case Info(number, text):
                    self.wire.write(tokens.message(tokens.INFO, number, text, severity=0, state=1))
                case Fail():
                    self.wire.write(_error(step))
                    failed = True
                case Wait():
                    self._wait(step)
                case HangUp():
                    self._hang_up()
        return failed

    def _rows(self, step: Rows, *, procedure: bool, more: bool) -> bool:
        self.wire.write(tokens.metadata(step.columns))
        count = 0
        for count, values in enumerate(step.rows, start=1):
            self.wire.write(tokens.row(step.columns, values))
            if count % 50 == 0:
                self._hear()
        match step.cut:
            case Fail():
                self.wire.write(_error(step.cut))
                return True
            case HangUp():
                self._hang_up()
            case Wait():
                self._wait(step.cut)
            case None:
                pass
        self.wire.write(_done_token(count, procedure=procedure, more=more))
        return False

    def _hang_up(self) -> None:
        self.wire.flush()
        raise ConnectionError

    def _wait(self, wait: Wait) -> None:
        self.wire.flush()
        while not wait.until.wait(TICK):
            if self.stopping.is_set():
                raise ConnectionError
            if not wait.deaf:
                self._hear()

    def _hear(self) -> None:
        if not self.wire.readable():
            return
        kind, _ = self.wire.read()
        if kind == packets.ATTENTION:
            raise Attended
        raise ConnectionError


def _error(step: Fail) -> bytes:
    return tokens.message(
        tokens.ERROR, step.number, step.message, severity=step.severity, state=step.state
    )


def _done_token(count: int, *, procedure: bool, more: bool, command: int = tokens.SELECT) -> bytes:
    token = tokens.DONE_IN_PROCEDURE if procedure else tokens.DONE
    return tokens.done(token, tokens.COUNTED | (tokens.MORE if more else 0), count, command)
