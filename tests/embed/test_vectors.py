"""The vector cache: incremental by text, survives kill -9, refuses what does not fit."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oncosearch.embed import count_encoded, embed_passages, embedded_already, open_vectors
from oncosearch.embed.vectors import model_folder
from oncosearch.model import ArtefactMismatchError, OncosearchError
from oncosearch.text import FORMAT_ID
from tests.embed.fakes import FACTS, KEY, LATER, FakeEncoder, passage, passages, uninterrupted, vectors_of
from tests.embed.killed import COUNT
from tests.paths import ROOT

SIGKILLED = -9
BATCH = 16


def hashes_of(wanted):
    return [p.text_hash for p in wanted]


def known(home, wanted):
    return count_encoded(home, "demo", FACTS, FORMAT_ID, hashes_of(wanted))


def files_of(home):
    return {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}


def test_every_text_is_encoded_once_and_stands_in_node_order(tmp_path):
    encoder, wanted = FakeEncoder(), passages(40)
    report = embed_passages(tmp_path, KEY, wanted, encoder)
    assert (report.total, report.encoded, report.reused, report.too_long) == (40, 40, 0, 0)
    assert sorted(encoder.encoded) == sorted(p.text for p in wanted)
    assert np.array_equal(vectors_of(tmp_path, wanted), FakeEncoder().encode_passages([p.text for p in wanted]))


def test_vectors_are_float32_of_length_one_and_memory_mapped(tmp_path):
    wanted = passages(40)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    found = open_vectors(tmp_path, KEY, FACTS, FORMAT_ID, hashes_of(wanted))
    assert found.vectors.dtype == np.float32
    assert not found.vectors.flags.writeable
    assert isinstance(found.vectors.base, np.memmap)
    assert np.allclose(np.linalg.norm(found.vectors, axis=1), 1)
    whole = np.load(found.folder / "vectors.npy", allow_pickle=False)
    assert np.array_equal(whole, found.vectors)


def test_a_second_run_encodes_nothing(tmp_path):
    wanted = passages(40)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    encoder = FakeEncoder()
    report = embed_passages(tmp_path, KEY, wanted, encoder)
    assert (report.encoded, report.reused, encoder.encoded) == (0, 40, [])
    assert embedded_already(tmp_path, KEY, FACTS, FORMAT_ID, wanted, hashes_of(wanted)) == report


def test_vectors_that_are_missing_are_not_called_present(tmp_path):
    wanted = passages(3)
    assert embedded_already(tmp_path, KEY, FACTS, FORMAT_ID, wanted, hashes_of(wanted)) is None


def test_a_later_snapshot_encodes_only_what_changed_and_the_old_one_stays(tmp_path):
    old, new = passages(40), passages(41, changed=[7])
    before = uninterrupted(tmp_path, old)
    encoder = FakeEncoder()
    report = embed_passages(tmp_path, LATER, new, encoder)
    assert (report.total, report.encoded, report.reused) == (41, 2, 39)
    assert sorted(encoder.encoded) == sorted([new[7].text, new[40].text])
    assert np.array_equal(vectors_of(tmp_path, old), before)
    after = vectors_of(tmp_path, new, LATER)
    same = [i for i in range(40) if i != 7]
    assert np.array_equal(after[same], before[same])
    assert not np.array_equal(after[7], before[7])


def test_nodes_of_one_text_have_one_vector_and_are_encoded_once(tmp_path):
    wanted = [passage("a", "Nachsorge"), passage("b", "andere"), passage("c", "Nachsorge")]
    encoder = FakeEncoder()
    report = embed_passages(tmp_path, KEY, wanted, encoder)
    assert sorted(encoder.encoded) == ["Nachsorge", "andere"]
    assert (report.encoded, report.reused) == (2, 0)
    rows = vectors_of(tmp_path, wanted)
    assert np.array_equal(rows[0], rows[2])


def test_a_changed_order_of_nodes_costs_no_encoding(tmp_path):
    wanted = passages(20)
    rows = uninterrupted(tmp_path, wanted)
    encoder = FakeEncoder()
    embed_passages(tmp_path, LATER, wanted[::-1], encoder)
    assert encoder.encoded == []
    assert np.array_equal(vectors_of(tmp_path, wanted[::-1], LATER), rows[::-1])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8), min_size=1, max_size=4))
def test_a_text_has_one_vector_whatever_came_before(tmp_path_factory, snapshots):
    home = tmp_path_factory.mktemp("home")
    seen = set()
    for number, texts in enumerate(snapshots):
        wanted = [passage(f"n{i}", text) for i, text in enumerate(texts)]
        key = replace(KEY, snapshot_id=str(number))
        report = embed_passages(home, key, wanted, FakeEncoder())
        assert (report.total, report.encoded) == (len(texts), len(set(texts) - seen))
        seen |= set(texts)
        assert np.array_equal(vectors_of(home, wanted, key), FakeEncoder().encode_passages(texts))


def test_progress_counts_nodes_up_to_all_of_them(tmp_path):
    embed_passages(tmp_path, KEY, passages(20), FakeEncoder())
    seen = []
    embed_passages(tmp_path, LATER, passages(50), FakeEncoder(), lambda done, total: seen.append((done, total)))
    assert seen == [(20, 50), (36, 50), (50, 50), (50, 50)]


def test_texts_beyond_the_limit_are_counted_also_when_they_are_taken_over(tmp_path):
    wanted = [passage("kurz", "a b c d"), passage("lang", "a b c d e"), passage("lang2", "a b c d e f")]
    report = embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    assert (report.too_long, report.too_long_ids) == (2, ("lang", "lang2"))
    again = embedded_already(tmp_path, KEY, FACTS, FORMAT_ID, wanted, hashes_of(wanted))
    assert (again.too_long, again.too_long_ids) == (2, ("lang", "lang2"))
    later = embed_passages(tmp_path, LATER, [*wanted[:2], passage("neu", "x")], FakeEncoder())
    assert (later.encoded, later.too_long, later.too_long_ids) == (1, 1, ("lang",))


@pytest.mark.parametrize("row", [[0.0] * 8, [float("nan")] * 8, [1.0] * 7 + [float("inf")]])
def test_a_vector_that_is_none_names_the_node_and_keeps_the_rest(tmp_path, row):
    wanted = passages(40)
    # Of length 3 or less, and therefore in the last batch.
    bad = wanted[21]
    with pytest.raises(OncosearchError, match=f"Node '{bad.node_id}'.*zero or non-finite") as caught:
        embed_passages(tmp_path, KEY, wanted, FakeEncoder({bad.text: row}))
    assert caught.value.code == "bad_vector"
    assert caught.value.values["node_id"] == bad.node_id
    assert known(tmp_path, wanted) == 2 * BATCH
    encoder = FakeEncoder()
    assert embed_passages(tmp_path, KEY, wanted, encoder).reused == 2 * BATCH
    assert bad.text in encoder.encoded


POINTS = ["encode:1", "encode:3", *(f"{kind}:{n}" for kind in ("append", "torn") for n in (1, 2, 3, 4)), "rows"]


@pytest.mark.parametrize("point", POINTS)
def test_killed_while_embedding(tmp_path, point):
    wanted = passages(COUNT)
    home = tmp_path / "killed"
    program = [sys.executable, "-m", "tests.embed.killed", str(home), point]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == SIGKILLED, done.stderr
    acknowledged = int(done.stdout.split()[-1])
    assert known(home, wanted) >= acknowledged
    with pytest.raises(ArtefactMismatchError, match="has no vectors"):
        vectors_of(home, wanted)
    encoder = FakeEncoder()
    report = embed_passages(home, KEY, wanted, encoder)
    assert report.reused >= acknowledged
    assert len(encoder.encoded) == report.encoded == COUNT - report.reused
    assert np.array_equal(vectors_of(home, wanted), uninterrupted(tmp_path / "whole", wanted))


def test_killed_at_any_moment(tmp_path):
    wanted = passages(COUNT)
    program = [sys.executable, "-m", "tests.embed.killed", str(tmp_path / "killed"), "slow"]
    with subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE, text=True) as embedding:
        acknowledged = [int(embedding.stdout.readline()) for _ in range(3)]
        embedding.kill()
        acknowledged += [int(line) for line in embedding.stdout.read().split()]
    assert embedding.returncode == SIGKILLED
    assert acknowledged[:3] == [0, BATCH, 2 * BATCH]
    report = embed_passages(tmp_path / "killed", KEY, wanted, FakeEncoder())
    assert acknowledged[-1] <= report.reused < COUNT
    assert np.array_equal(vectors_of(tmp_path / "killed", wanted), uninterrupted(tmp_path / "whole", wanted))


def _torn(home, cut):
    """Leave what a run leaves that died in its second batch, with ``cut`` bytes of the last hash missing."""
    stopping = FakeEncoder()
    encode = stopping.encode_passages

    def stop(texts):
        if len(stopping.encoded) >= 2 * BATCH:
            raise KeyboardInterrupt
        return encode(texts)

    stopping.encode_passages = stop
    with pytest.raises(KeyboardInterrupt):
        embed_passages(home, KEY, passages(COUNT), stopping)
    path = model_folder(home, "demo", "fake") / "hashes.npy"
    path.write_bytes(path.read_bytes()[:-cut])


@pytest.mark.parametrize("cut", [1, 31, 32, 33])
def test_a_torn_tail_is_cut_off(tmp_path, cut):
    wanted = passages(COUNT)
    _torn(tmp_path, cut)
    whole = 2 * BATCH - (1 if cut <= 32 else 2)
    assert known(tmp_path, wanted) == whole
    assert embed_passages(tmp_path, KEY, wanted, FakeEncoder()).reused == whole
    assert np.array_equal(vectors_of(tmp_path, wanted), uninterrupted(tmp_path / "whole", wanted))


def test_looking_changes_nothing_while_another_process_may_be_writing(tmp_path):
    wanted = passages(COUNT)
    _torn(tmp_path, 31)
    before = files_of(tmp_path)
    known(tmp_path, wanted)
    with pytest.raises(ArtefactMismatchError):
        vectors_of(tmp_path, wanted)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize(
    ("facts", "found", "expected"),
    [
        (replace(FACTS, revision="r2"), FACTS.revision, "r2"),
        (replace(FACTS, dimension=9), "8", "9"),
        (replace(FACTS, hub_id="test/other"), "test/fake", "test/other"),
    ],
)
def test_vectors_of_another_model_are_refused_with_both_sides_and_the_command(tmp_path, facts, found, expected):
    wanted = passages(5)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    with pytest.raises(ArtefactMismatchError) as caught:
        vectors_of(tmp_path, wanted, facts=facts)
    message = str(caught.value)
    assert f"found {found!r}" in message or f"found {found}" in message
    assert f"expected {expected!r}" in message or f"expected {expected}" in message
    assert "python -m oncosearch index --graph demo --snapshot 2026.Q1 --model fake" in message
    assert caught.value.code == "unembedded"


def test_vectors_of_other_texts_or_another_serialisation_are_refused(tmp_path):
    wanted = passages(5)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    with pytest.raises(ArtefactMismatchError, match=r"texts: found '.*', expected '.*'\). Run: python -m oncosearch"):
        vectors_of(tmp_path, passages(5, changed=[2]))
    with pytest.raises(ArtefactMismatchError, match="nodes: found 5, expected 4"):
        vectors_of(tmp_path, wanted[:4])
    with pytest.raises(ArtefactMismatchError, match=f"serialisation: found '{FORMAT_ID}', expected 'other-2'"):
        open_vectors(tmp_path, KEY, FACTS, "other-2", hashes_of(wanted))


def test_a_new_revision_of_a_model_encodes_everything_anew(tmp_path):
    wanted = passages(20)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    newer = FakeEncoder(facts=replace(FACTS, revision="r2"))
    assert embed_passages(tmp_path, KEY, wanted, newer).encoded == 20
    with pytest.raises(ArtefactMismatchError, match="revision"):
        vectors_of(tmp_path, wanted)


def test_a_shortened_vector_file_is_refused(tmp_path):
    wanted = passages(20)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    path = model_folder(tmp_path, "demo", "fake") / "vectors.npy"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ArtefactMismatchError, match="found 19 rows, expected at least 20"):
        vectors_of(tmp_path, wanted)
    assert embed_passages(tmp_path, KEY, wanted, FakeEncoder()).encoded == 20
    assert len(vectors_of(tmp_path, wanted)) == 20


def test_the_manifest_says_what_the_vectors_were_made_from(tmp_path):
    wanted = passages(3)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    (manifest,) = tmp_path.rglob("manifest.json")
    content = json.loads(manifest.read_text("utf-8"))
    assert (
        content.items()
        >= {
            "format": "oncosearch-vectors-1",
            "model": "fake",
            "hub_id": "test/fake",
            "revision": FACTS.revision,
            "dimension": 8,
            "serialisation": FORMAT_ID,
            "graph_id": "demo",
            "snapshot_id": "2026.Q1",
            "nodes": 3,
        }.items()
    )


def test_an_empty_graph_has_no_vectors_and_no_trouble(tmp_path):
    report = embed_passages(tmp_path, KEY, [], FakeEncoder())
    assert (report.total, report.encoded) == (0, 0)


@pytest.mark.parametrize("where", [128, 128 + 4 * 5, -3])
def test_changed_bytes_are_noticed_and_only_the_block_behind_them_is_made_again(tmp_path, where, monkeypatch):
    monkeypatch.setattr("oncosearch.embed.vectors._BLOCK", 8)
    wanted = passages(20)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    good = np.array(vectors_of(tmp_path, wanted))
    path = model_folder(tmp_path, "demo", "fake") / "vectors.npy"
    content = bytearray(path.read_bytes())
    content[where] ^= 0x41
    path.write_bytes(bytes(content))
    with pytest.raises(ArtefactMismatchError, match="checksum is wrong"):
        vectors_of(tmp_path, wanted)
    report = embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    assert report.encoded == (4 if where < 0 else 20)
    assert np.array_equal(vectors_of(tmp_path, wanted), good)


def test_changed_row_numbers_are_noticed(tmp_path):
    wanted = passages(5)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    (path,) = model_folder(tmp_path, "demo", "fake").glob("*/rows.npy")
    np.save(path, np.load(path)[::-1].copy())
    with pytest.raises(ArtefactMismatchError, match="checksum is wrong"):
        vectors_of(tmp_path, wanted)


@pytest.mark.parametrize("name", ["*/manifest.json", "*/rows.npy", "sums.json", "stamp.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"[1]", b"\0" * 64, None], ids=str)
def test_a_damaged_small_file_is_refused_and_made_again(tmp_path, name, content):
    wanted = passages(12)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    good = np.array(vectors_of(tmp_path, wanted))
    (path,) = model_folder(tmp_path, "demo", "fake").glob(name)
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    if name != "stamp.json":
        with pytest.raises(ArtefactMismatchError, match="python -m oncosearch index"):
            vectors_of(tmp_path, wanted)
    embed_passages(tmp_path, KEY, wanted, FakeEncoder())
    assert np.array_equal(vectors_of(tmp_path, wanted), good)
