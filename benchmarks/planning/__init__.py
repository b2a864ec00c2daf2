"""Which nodes of two graphs the planning context names, and what that takes."""
