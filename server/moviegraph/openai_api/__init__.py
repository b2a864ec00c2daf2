"""Endpoints that speak the OpenAI interface: where they are, how to call them, why they failed."""
