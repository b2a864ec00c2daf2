"""Answers, repairs and refusals beside rows that other code computes."""
