"""A query: session, validation, execution, repair, records and names."""
