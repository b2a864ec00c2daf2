"""A clock for retries."""


class FakeClock:
    """Time that advances only by pauses."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def pause(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)
