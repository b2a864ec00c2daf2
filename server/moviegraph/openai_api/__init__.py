"""Endpoints with the OpenAI interface: addresses, clients and failures."""
