"""The data-model contract: what exists, in one place, for every other layer."""
