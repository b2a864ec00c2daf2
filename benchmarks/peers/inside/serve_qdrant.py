"""Server of a collection filled with precomputed vectors, inside its environment.

Arguments: a folder with `documents.json`, `vectors.npy`, `queries.json` and `query_vectors.npy`.
"""

import asyncio
import json
import sys
from pathlib import Path

import numpy as np
from mcp_server_qdrant.embeddings.base import EmbeddingProvider
from mcp_server_qdrant.mcp_server import QdrantMCPServer
from mcp_server_qdrant.settings import QdrantSettings, ToolSettings
from qdrant_client import models

VECTOR, COLLECTION = "precomputed", "films"


class PrecomputedEmbeddings(EmbeddingProvider):
    """Stored vectors of texts; none is computed."""

    def __init__(self, folder):
        texts = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
        self.vectors = dict(zip(texts, np.load(folder / "query_vectors.npy").tolist(), strict=True))

    async def embed_documents(self, documents):
        return [self.vectors[text] for text in documents]

    async def embed_query(self, query):
        return self.vectors[query]

    def get_vector_name(self):
        return VECTOR

    def get_vector_size(self):
        return len(next(iter(self.vectors.values())))


async def fill(client, folder, provider):
    """Write the collection: in memory, because a local file uses a transaction per point."""
    size = provider.get_vector_size()
    parameters = models.VectorParams(size=size, distance=models.Distance.COSINE)
    await client.create_collection(COLLECTION, vectors_config={VECTOR: parameters})
    documents = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
    points = [
        models.PointStruct(
            id=index, vector={VECTOR: row}, payload={"document": text, "metadata": None}
        )
        for index, (text, row) in enumerate(
            zip(documents, np.load(folder / "vectors.npy").tolist(), strict=True)
        )
    ]
    await client.upsert(COLLECTION, points)


def main():
    folder = Path(sys.argv[1])
    provider = PrecomputedEmbeddings(folder)
    settings = QdrantSettings(QDRANT_URL=":memory:", COLLECTION_NAME=COLLECTION)
    server = QdrantMCPServer(
        tool_settings=ToolSettings(), qdrant_settings=settings, embedding_provider=provider
    )
    asyncio.run(fill(server.qdrant_connector._client, folder, provider))
    server.run(transport="stdio")


if __name__ == "__main__":
    main()
