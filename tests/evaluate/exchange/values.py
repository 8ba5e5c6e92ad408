"""Strategies: qrels, runs and texts as hard as they may come."""

from hypothesis import strategies as st

from oncosearch.evaluate.exchange import Collection
from oncosearch.model import Qrels, Run

_IRIS = st.builds(
    "https://example.org/{}{}{}".format,
    st.sampled_from(["a", "A%20b", "ü", "onto#"]),
    st.sampled_from(["", "?q=1,2;3", "%2C", '"x"', "'"]),
    st.integers(0, 9),
)
_HARD = st.text(alphabet=",;\t\"'\n\r =+-@#%:\ufeff\u2028äa1\x00", min_size=1, max_size=6)
ids = _IRIS | _HARD | st.text(min_size=1, max_size=5)
words = st.text(alphabet=",;\t\"'\n\r =+-@\ufeffäa1", min_size=1, max_size=20) | st.text(min_size=1, max_size=8)

grades = st.dictionaries(ids, st.integers(-1, 3), min_size=1, max_size=5)
qrels = st.builds(Qrels, st.dictionaries(ids, grades, max_size=4))


def duplicates_of(written):
    """Return a strategy of duplicates among the judged nodes, and one that was not judged."""
    return st.fixed_dictionaries(
        {},
        optional={
            topic: st.frozensets(st.sampled_from([*nodes, "another node"]), min_size=1)
            for topic, nodes in written.grades.items()
        },
    )


_ranking = st.lists(
    st.tuples(ids, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=5, unique_by=lambda p: p[0]
).map(lambda pairs: tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0]))))
runs = st.builds(Run, st.text(max_size=5), st.dictionaries(ids, _ranking, max_size=4))


@st.composite
def collections(draw):
    """Return a collection whose texts all belong to judged topics and nodes, which a table can hold."""
    written = draw(qrels)
    nodes = sorted({node for own in written.grades.values() for node in own})

    def some(keys):
        return draw(st.fixed_dictionaries({}, optional=dict.fromkeys(keys, words)))

    duplicates = draw(duplicates_of(written))
    return Collection(written, some(written.grades), some(nodes), some(nodes), duplicates)
