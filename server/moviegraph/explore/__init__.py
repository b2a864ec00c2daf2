"""Pages for people on this machine: `explore`, and what it shares with the journal's page."""
