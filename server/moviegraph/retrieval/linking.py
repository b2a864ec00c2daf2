"""What the nodes of a kind may be found by: their edges to what lies near to a query."""

from collections import defaultdict

from moviegraph.contract.model import NodeTable
from moviegraph.retrieval.recording import Recording
from moviegraph.sql.fusion_statements import Link, Links, ends_of, links_of, near_ends


def linking(recording: Recording, node: NodeTable, example: int | None = None) -> Links:
    """Return the edges that lead to what is near to the query, or is linked to an example.

    A kind of node from which no edge leads has none, and costs nothing. Where nothing is near, one
    edge stands without keys, so that rows of a kind always have the same columns.
    """
    links = links_of(recording.session.contract, node)
    if not links:
        return Links()
    sql = near_ends(links) if example is None else ends_of(node, links, example)
    keys: dict[str, list[int]] = defaultdict(list)
    for link, key in recording.read(sql):
        keys[link].append(key)
    found = tuple(Link(each.edge, each.end, tuple(sorted(keys[each.name]))) for each in links)
    near = tuple(each for each in found if each.keys)
    return Links(near or found[:1], example is not None)
