"""The log-in of a client, and the answers to it ([MS-TDS] 2.2.6.4 and 2.2.6.5)."""

import struct
from dataclasses import dataclass

from fakes.tds.tokens import changed_collation, changed_text, done, short_text

TDS_74 = 0x74000004
NO_ENCRYPTION = b"\x02"
READ_ONLY = 0x20
HAS_FEATURES = 0x10
ACCESS_TOKEN = 0x02
END_OF_FEATURES = 0xFF


@dataclass(frozen=True, slots=True)
class Login:
    """The client's login data; `token` is the access token of Entra, if it sent one."""

    user: str
    password: str
    database: str
    application: str
    read_only: bool
    token: str | None
    features: bool


def parse_login(payload: bytes) -> Login:
    """Read a LOGIN7 request."""
    features = bool(payload[27] & HAS_FEATURES)
    return Login(
        user=_field(payload, 40).decode("utf-16-le"),
        password=_password(_field(payload, 44)),
        database=_field(payload, 68).decode("utf-16-le"),
        application=_field(payload, 48).decode("utf-16-le"),
        read_only=bool(payload[26] & READ_ONLY),
        token=_token(payload) if features else None,
        features=features,
    )


def _field(payload: bytes, at: int) -> bytes:
    offset, characters = struct.unpack("<HH", payload[at : at + 4])
    return payload[offset : offset + 2 * characters]


def _password(data: bytes) -> str:
    plain = bytes(((byte ^ 0xA5) << 4 | (byte ^ 0xA5) >> 4) & 0xFF for byte in data)
    return plain.decode("utf-16-le")


def _token(payload: bytes) -> str | None:
    (pointer,) = struct.unpack("<H", payload[56:58])
    (at,) = struct.unpack("<I", payload[pointer : pointer + 4])
    while payload[at] != END_OF_FEATURES:
        feature, size = struct.unpack("<BI", payload[at : at + 5])
        if feature == ACCESS_TOKEN:  # one byte of options, the token's size, the token
            return payload[at + 10 : at + 5 + size].decode("utf-16-le", errors="replace")
        at += 5 + size
    return None


def prelogin_answer(payload: bytes) -> bytes:
    """Say that the server is version 16 and does not encrypt."""
    options = [
        (0, bytes([16, 0, 16, 0, 0, 0])),
        (1, NO_ENCRYPTION),
        (2, b"\0"),
        (3, b""),
        (4, b"\0"),
    ]
    offset, table, data = len(options) * 5 + 1, b"", b""
    for key, value in options:
        table += struct.pack(">BHH", key, offset + len(data), len(value))
        data += value
    return table + b"\xff" + data


def welcome(login: Login) -> bytes:
    """Accept a log-in."""
    program = short_text("Microsoft SQL Server") + bytes([17, 0, 3, 232])
    ack = b"\x01" + struct.pack(">I", TDS_74) + program
    return (
        changed_text(1, login.database or "master", "master")
        + changed_collation()
        + b"\xad"
        + struct.pack("<H", len(ack))
        + ack
        + changed_text(4, "4096", "4096")
        + _features(login)
        + done()
    )


def _features(login: Login) -> bytes:
    if not login.features:
        return b""
    token = struct.pack("<BI", ACCESS_TOKEN, 0) if login.token is not None else b""
    return b"\xae" + token + bytes([END_OF_FEATURES])
