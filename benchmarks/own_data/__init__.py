"""Own data: what is found again of generated or named sources, what it costs, and other servers."""
