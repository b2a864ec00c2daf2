"""Scripted plans and the nearest 200 films, compared on questions with known answers."""
