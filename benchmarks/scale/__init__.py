"""How the server grows: graphs of 10 thousand to 1 million films, each figure beside its floor."""
