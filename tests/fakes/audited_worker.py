"""A worker process that writes each attempt to send data to a file of its working directory."""

import os
from pathlib import Path

from fakes.egress_audit import record_egress

EVENTS = "worker-{}.events"


class EventFile(list[str]):
    """Writes each event at once, because a worker can be killed at any time."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = path.open("w", encoding="utf-8")

    def append(self, event: str, /) -> None:
        """Write one event."""
        self._file.write(f"{event}\n")
        self._file.flush()


def main() -> None:
    """Run the worker under the audit."""
    record_egress(EventFile(Path(EVENTS.format(os.getpid()))))
    from moviegraph.engines.embedded import worker

    worker.main()


if __name__ == "__main__":
    main()
