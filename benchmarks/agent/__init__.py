"""Questions of the originals' kinds: scripted plans beside the nearest 200 films by vector."""
