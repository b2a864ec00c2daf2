"""The Host header in the form in which it is compared."""

from typing import Any

HOST = b"host"


class SmallHosts:
    """An ASGI application before one that compares hosts letter by letter.

    Their case does not count (RFC 3986, section 3.2.2), and clients send what a user typed.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Have a request answered."""
        if scope["type"] == "http" and any(
            name == HOST and value != value.lower() for name, value in scope["headers"]
        ):
            headers = [
                (name, value.lower() if name == HOST else value) for name, value in scope["headers"]
            ]
            scope = {**scope, "headers": headers}
        await self._app(scope, receive, send)
