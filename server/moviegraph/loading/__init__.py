"""Source files into a graph."""
