"""`moviegraph explore`: a graph in the browser of this machine."""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from contextlib import suppress
from functools import partial

from moviegraph.cli.client_commands import add_server_settings, client_of, open_server
from moviegraph.cli.options import settings_of
from moviegraph.cli.streams import print_error


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("page")
    group.add_argument("--port", type=int, default=0, help="port of the page (default: a free one)")
    group.add_argument("--no-open", action="store_true", help="print the address only")
    add_server_settings(parser)


def run(parsed: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from moviegraph.cli.http_runner import listen
    from moviegraph.explore.application import explore_application
    from moviegraph.explore.local_page import HOST, new_token, serve

    server = open_server(settings_of(parsed), eager=True)
    with listen(HOST, parsed.port) as listener, suppress(KeyboardInterrupt):
        port = listener.getsockname()[1]
        app = explore_application(partial(client_of, server, "explore"), port, new_token())
        print_error(f"Exploring the graph at {app.url} (press Ctrl-C to stop)")
        if not parsed.no_open and _has_screen():
            webbrowser.open(app.url)  # answered as soon as the page is served
        serve(app, listener)
    return 0


def _has_screen() -> bool:
    """Return whether a browser may be opened: without a screen it would be one in the terminal."""
    is_known = sys.platform in ("darwin", "win32")
    return is_known or any(name in os.environ for name in ("DISPLAY", "WAYLAND_DISPLAY"))
