"""The fixed tools, written over the retrieval primitives of an engine."""
