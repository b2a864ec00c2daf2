"""A small agent in the client's place: a configured model over the tools of the real server."""
