"""Results, repairs and refusals compared with rows that other code computes."""
