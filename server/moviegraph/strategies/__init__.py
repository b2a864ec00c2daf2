"""Whole plans in one call: run, compare, fuse and expand."""
