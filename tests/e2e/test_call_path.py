"""The way of one call through the project's own functions."""

import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from mcp import Client

from moviegraph.query.session import Session
from moviegraph.server import create_server
from moviegraph.settings import Settings

ROOT = Path(__file__).parents[2]
APART = ("moviegraph/sql/", "moviegraph/engines/", "moviegraph/contract/")
"""Guard, translation and engine, and the contract that they read."""

MAX_FUNCTIONS = 93
"""As measured; a longer path needs a reason."""
SQL = "SELECT TOP 3 r.Title FROM Recipe AS r WHERE r.Number > 1 ORDER BY r.Title"


async def test_a_statement_passes_few_functions_outside_guard_and_engine(session: Session) -> None:
    code_path: dict[CodeType, None] = {}
    is_counting = False

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if is_counting and event == "call":
            code_path.setdefault(frame.f_code)

    threading.setprofile(profile)  # a worker thread is profiled from its start
    try:
        async with Client(create_server(Settings(), session=session)) as client:
            await client.call_tool("run_readonly_sql", {"sql": "SELECT Title FROM Recipe"})
            sys.setprofile(profile)
            is_counting = True
            result = await client.call_tool("run_readonly_sql", {"sql": SQL})
            is_counting = False
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # pyright: ignore[reportArgumentType] (as documented)
    assert not result.is_error
    names = sorted(
        f"{Path(code.co_filename).relative_to(ROOT)}: {code.co_qualname}"
        for code in code_path
        if code.co_filename.startswith((f"{ROOT}/server/", f"{ROOT}/tools/"))
        and not code.co_name.startswith("<")
        and not any(part in code.co_filename for part in APART)
    )
    assert any("readonly_sql.py: run" in name for name in names)
    assert len(names) <= MAX_FUNCTIONS, "\n".join(names)
