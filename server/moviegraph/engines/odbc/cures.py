"""What the operator can do about an error of SQL Server or of its driver."""

from dataclasses import dataclass

from moviegraph.engines.odbc.driver import INSTALL

STRING = "the connection string"


@dataclass(frozen=True, slots=True)
class Cure:
    """What is wrong, and what to do about it."""

    message: str
    cure: str


LOGIN = Cure(
    "The server refused the log-in.",
    f"Check user and password in {STRING}, or the identity behind the token; a contained user "
    "logs in to its own Database only.",
)
EXPIRED = Cure("The password of the log-in has expired.", "Set a new one, and change it here.")
NETWORK = Cure(
    "The server refuses connections from this machine's network.",
    "Add its address to the server's firewall rules, or connect through its private endpoint.",
)
OURS = Cure(
    "The vector of a query did not reach the server as it must.",
    "This is a mistake of the program: report it with this number.",
)
NUMBERS: dict[int, Cure] = {
    18456: LOGIN,
    18452: LOGIN,
    18470: Cure("The log-in is disabled.", "ALTER LOGIN ... ENABLE, or name another user."),
    18486: Cure("The log-in is locked.", "Wait, or unlock it: ALTER LOGIN ... WITH UNLOCK."),
    18487: EXPIRED,
    18488: EXPIRED,
    4060: Cure(
        "The database does not exist, or the log-in has no user in it.",
        f"Check Database in {STRING}, and CREATE USER there.",
    ),
    40532: Cure("The server does not know the name it is asked for.", f"Check Server in {STRING}."),
    40544: Cure("The database is full.", "Enlarge it, or remove data."),
    40615: NETWORK,
    40914: NETWORK,
    47072: NETWORK,
    47073: NETWORK,
    42119: Cure(
        "The database has used up its free amount of this month, and sleeps until the next.",
        "Let it go on for charge in the portal, or wait.",
    ),
    37396: Cure("The access token has expired.", "Check the clock of this machine."),
    3906: Cure("The database takes no changes.", "Nothing was to be changed: report this."),
    3952: Cure(
        "The database does not allow snapshot isolation any more.",
        "ALTER DATABASE ... SET ALLOW_SNAPSHOT_ISOLATION ON, or start the server anew.",
    ),
    529: OURS,
    42211: OURS,
}
UNREACHED = Cure(
    "The server did not answer.",
    f"Check Server in {STRING} (tcp:HOST,1433), that it runs, and the way to it.",
)
CERTIFICATE = Cure(
    "The server's certificate is not trusted, or is for another name.",
    f"Name the server as in its certificate, or set HostNameInCertificate in {STRING}; "
    "TrustServerCertificate=yes is for a server on your own machine.",
)
DRIVER = Cure("The ODBC driver cannot be loaded.", INSTALL)
STATES: dict[str, Cure] = {
    "IM002": DRIVER,
    "IM003": DRIVER,
    "IM004": DRIVER,
    "FA005": Cure(
        "A token and a user were given at once.",
        f"Take UID, PWD, Authentication and Trusted_Connection out of {STRING}.",
    ),
    "28000": LOGIN,
}
