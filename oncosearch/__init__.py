"""oncosearch: graph retrieval over a curated oncology knowledge graph.

The package reads from left to right: ``ingest`` and ``store`` keep a graph, ``graph`` and ``text`` prepare it,
``embed`` and ``index`` make it searchable, ``retrieve`` ranks, ``explain`` says why, ``ui`` and ``cli`` show it.
"""

__version__ = "0.1.0"
