"""The engines that run validated statements."""
