"""Many clients at once over HTTP, beside a tool of the same SDK that returns a constant."""
