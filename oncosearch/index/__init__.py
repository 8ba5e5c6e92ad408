"""Exact top-k over vectors, the lexical index, and the names of nodes."""
