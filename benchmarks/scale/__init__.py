"""Cost of the server by graph size, from 10 thousand to 1 million films."""
