"""A clock for what waits between tries."""


class Clock:
    """Time that passes only where somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def pause(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)
