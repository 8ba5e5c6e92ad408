import numpy as np
import pytest

from oncosearch.embed.growing import GrowingArray


@pytest.mark.parametrize(("dtype", "shape"), [(np.float32, (3,)), (np.int8, (5,)), ("S32", ()), (np.float32, ())])
def test_numpy_reads_what_was_appended_and_sealed(tmp_path, dtype, shape):
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 100, size=(1003, *shape)).astype(dtype)
    array = GrowingArray(tmp_path / "a.npy", dtype, shape)
    assert len(array) == 0
    for start in (0, 1, 10, 100, 999):
        end = {0: 1, 1: 10, 10: 100, 100: 999, 999: 1003}[start]
        array.append(rows[start:end])
        array.seal()
        assert np.array_equal(np.load(tmp_path / "a.npy"), rows[:end])
        assert np.array_equal(array.read(len(array)), rows[:end])


def test_a_torn_row_does_not_count_and_is_cut_off(tmp_path):
    array = GrowingArray(tmp_path / "a.npy", np.float32, (4,))
    array.append(np.ones((3, 4), np.float32))
    with array.path.open("ab") as file:
        file.write(b"torn")
    assert len(array) == 3
    array.cut(len(array))
    array.append(np.zeros((1, 4), np.float32))
    assert array.read(4)[3].tolist() == [0, 0, 0, 0]
    assert array.read(4)[2].tolist() == [1, 1, 1, 1]


def test_rows_cannot_be_changed_through_the_map(tmp_path):
    array = GrowingArray(tmp_path / "a.npy", np.float32)
    array.append(np.ones(2, np.float32))
    with pytest.raises(ValueError, match="read-only"):
        array.read(2)[0] = 5


def test_a_reader_keeps_its_rows_while_more_are_added(tmp_path):
    array = GrowingArray(tmp_path / "a.npy", np.float32)
    array.append(np.arange(5, dtype=np.float32))
    before = array.read(5)
    array.append(np.arange(1000, dtype=np.float32))
    array.seal()
    assert before.tolist() == [0, 1, 2, 3, 4]
