from oncosearch.workspace.recent import Recent


def test_what_was_used_last_stays():
    kept = Recent[str, int](2)
    kept.keep("a", 1)
    kept.keep("b", 2)
    assert kept.get("a") == 1
    kept.keep("c", 3)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (1, None, 3)
    kept.clear()
    assert kept.get("a") is None
