"""No module imports one that imports it, directly or by others, at its top or in a function."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import grimp


def imports() -> Iterator[tuple[str, set[str]]]:
    """Yield each module with those that it imports; imports for types alone do not count."""
    graph = grimp.build_graph(
        "moviegraph", "moviegraph_tools", exclude_type_checking_imports=True, cache_dir=None
    )
    for module in graph.modules:
        yield module, graph.find_modules_directly_imported_by(module)


def test_no_module_imports_itself_by_others() -> None:
    modules = dict(imports())
    assert len(modules) > 100
    try:
        TopologicalSorter(modules).prepare()
    except CycleError as error:
        raise AssertionError(" <- ".join(error.args[1])) from None
