"""Scripts that run inside the environments of peers, with nothing of ours to import."""
