"""CPU time of processes, read from outside."""

import psutil


def cpu_seconds(process: psutil.Process, *, family: bool = False) -> float:
    """Return the CPU seconds of a process so far, with those that it started if wanted."""
    counted = [process, *(process.children(recursive=True) if family else ())]
    return sum(times.user + times.system for times in (each.cpu_times() for each in counted))
