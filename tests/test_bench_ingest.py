"""The benchmark of importing writes files that every reader takes whole."""

import json

import pytest

from bench.ingest import WRITERS, run


@pytest.mark.parametrize("name", list(WRITERS))
def test_every_node_comes_in(tmp_path, capsys, name):
    (line,) = run(60, [name], ["sqlite"], tmp_path)
    assert json.loads(capsys.readouterr().out) == line
    assert (line["format"], line["nodes"]) == (name, 60)
    assert line["peak_bytes"] > 10**7
    assert line["seconds"] > 0
