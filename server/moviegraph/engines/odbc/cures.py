"""What the operator can do about an error of SQL Server that no log-in causes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cure:
    """What is wrong, and what to do about it."""

    message: str
    cure: str


OURS = Cure(
    "The vector of a query did not reach the server as it must.",
    "This is a mistake of the program: report it with this number.",
)
CURES: dict[int, Cure] = {
    529: OURS,
    42211: OURS,
    3906: Cure("The database takes no changes, and one was tried.", "Report this: none was meant."),
    3952: Cure(
        "The database does not allow snapshot isolation any more.",
        "ALTER DATABASE ... SET ALLOW_SNAPSHOT_ISOLATION ON, or start the server anew.",
    ),
    9002: Cure("The transaction log of the database is full.", "Back it up, or enlarge it."),
    40544: Cure("The database is full.", "Enlarge it, or remove data."),
}
