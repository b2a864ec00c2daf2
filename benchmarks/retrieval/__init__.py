"""How well the searches of the server find what queries of seven kinds ask for."""
