"""What the C library keeps of the memory that threads have freed."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

M_ARENA_MAX = -8
ARENAS = 2


def share_arenas(environment: Mapping[str, str]) -> bool:
    """Let all threads share two arenas of glibc, unless its environment says how many there are.

    By default each thread gets one of its own, up to eight a core, and what is freed in one is not
    used in another: with a thread a call, the memory of a server grows for minutes.

    Returns:
        Whether they are bounded here; other C libraries have nothing to bound.

    Source: https://man7.org/linux/man-pages/man3/mallopt.3.html
    """
    tuned = "glibc.malloc.arena_max" in environment.get("GLIBC_TUNABLES", "")
    if tuned or "MALLOC_ARENA_MAX" in environment:
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS))
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library of that kind
        return False
