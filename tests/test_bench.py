"""The benchmark of refreshing measures what it says, on a handful of nodes."""

import json

from bench.refresh import run


def test_only_changed_texts_are_encoded_again(tmp_path, capsys):
    share = run(40, 3, tmp_path)
    lines = {line["what"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert (lines["full"]["encoded"], lines["refresh"]["encoded"]) == (40, 3)
    assert lines["share"]["share"] == round(share, 4) > 0
    assert lines["share"]["reached"] == (share <= 0.05)
