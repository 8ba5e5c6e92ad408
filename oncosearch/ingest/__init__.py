"""Reading graphs: one reader per format yields raw rows; one stage checks and assembles them into a snapshot."""

from pathlib import Path

from oncosearch.ingest.assemble import Assembled
from oncosearch.ingest.formats import FORMATS, Format, GraphWriter, find_format, import_graph, read_graph
from oncosearch.ingest.lines import MAX_FILE_BYTES
from oncosearch.ingest.native import write_native
from oncosearch.ingest.raw import GraphHeader
from oncosearch.ingest.report import GraphRefusedError, ImportReport, Problem, ProblemGroup, TableCount

NODE_SCHEMA = Path(__file__).parent / "node.schema.json"
GRAPH_SCHEMA = Path(__file__).parent / "graph.schema.json"

__all__ = [
    "FORMATS",
    "GRAPH_SCHEMA",
    "MAX_FILE_BYTES",
    "NODE_SCHEMA",
    "Assembled",
    "Format",
    "GraphHeader",
    "GraphRefusedError",
    "GraphWriter",
    "ImportReport",
    "Problem",
    "ProblemGroup",
    "TableCount",
    "find_format",
    "import_graph",
    "read_graph",
    "write_native",
]
