"""Source files into a graph: reading, checking, enriching, building, and the graph in the box."""
