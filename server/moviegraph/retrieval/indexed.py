"""When a search by meaning goes through a vector index, and what is said of it."""

from moviegraph.contract.model import NodeTable
from moviegraph.retrieval.session import Session
from moviegraph.sql.guard import Where

NOTE = (
    "Searched through a vector index, which is approximate: a near row may be missing. "
    "VECTOR_DISTANCE in run_readonly_sql is exact."
)
FULLTEXT = ("CONTAINS", "FREETEXT")


def by_index(session: Session, node: NodeTable, where: Where | None) -> bool:
    """Whether a vector index finds the nearest nodes.

    Not beside a full-text condition: nothing says that the index goes on until enough rows meet it.
    """
    if where is not None and any(word in where.text.upper() for word in FULLTEXT):
        return False
    return session.engine.describe().has_vector_index(node.name)
