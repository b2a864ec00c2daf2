"""Cold start over stdio: CPU from process start to the tools/list answer, beside a bare server.

Target: at most 1.35 times a bare server of the same SDK, median of ten; tools/list at most 8,192
bytes; instructions at most 2,000 characters.
"""

import json
from pathlib import Path
from statistics import median

from benchmarks.report import write
from benchmarks.wire import PROTOCOL, WireServer

ROUNDS = 10
OURS = ("-m", "moviegraph", "serve")
BARE = (str(Path(__file__).with_name("bare_server.py")),)


def start(arguments: tuple[str, ...]) -> float:
    with WireServer(*arguments) as server:
        server.open()
        server.request("tools/list")
        return server.cpu()


def sizes() -> dict[str, int]:
    with WireServer(*OURS) as server:
        opened = server.request(
            "initialize",
            protocolVersion=PROTOCOL,
            capabilities={},
            clientInfo={"name": "benchmark", "version": "0"},
        )
        listed = server.request("tools/list")
    text = json.dumps(listed, separators=(",", ":"), ensure_ascii=False)
    return {
        "tools_list_bytes": len(text.encode()),
        "instructions_characters": len(opened.get("instructions", "")),
    }


def main() -> None:
    for arguments in (OURS, BARE):  # warm the file cache
        start(arguments)
    pairs = [(start(OURS), start(BARE)) for _ in range(ROUNDS)]
    ours, bare = median(p[0] for p in pairs), median(p[1] for p in pairs)
    write(
        "startup",
        {
            "ours_cpu_s": round(ours, 3),
            "bare_cpu_s": round(bare, 3),
            "ratio": round(ours / bare, 3),
            "ratio_target": 1.35,
            "rounds": ROUNDS,
            **sizes(),
        },
    )


if __name__ == "__main__":
    main()
