"""Repair of refused statements: faithful rules in families, and the driver that applies them."""
