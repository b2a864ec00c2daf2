"""Side by side with what people would use instead: `python -m benchmarks.peers [GRAPH]`."""
