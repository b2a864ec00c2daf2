"""The engines that run judged statements."""
