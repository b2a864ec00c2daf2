"""What works, and lets in more than the operator may want."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caution:
    """What is unwise, and what to do about it."""

    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.message} {self.hint}"
