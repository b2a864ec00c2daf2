"""Who may reach the server over HTTP, what of it, and how often."""
