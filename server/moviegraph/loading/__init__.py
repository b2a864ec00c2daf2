"""Source files into a graph: reading, checking, enriching, building, and the built-in graph."""
