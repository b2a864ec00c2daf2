"""T-SQL read, judged, limited and rendered; pure, without any I/O."""
