"""The behaviour suite of the readers: what holds for every format, on a handmade graph of each."""

import gzip
import io
import pickle
import zipfile

import pytest

from oncosearch.ingest import FORMATS, GraphRefusedError, find_format, read_graph
from tests.ingest.reader_cases import CASES as ONTOLOGY_CASES
from tests.ingest.reader_cases import GRAPHML, OWL, Case
from tests.ingest.reader_cases_tables import TABLE_CASES

CASES = (*ONTOLOGY_CASES, *TABLE_CASES)
cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.format)


def cases_where(applies):
    """Return the mark for the formats to which a test applies; there is at least one."""
    chosen = [case for case in CASES if applies(case)]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case.format)


# Formats with suites of their own.
ELSEWHERE = {"native", "civic", "mongo"}


def _refusal(case: Case, folder, data: bytes, **more) -> dict[str, list]:
    """Return the errors of a graph whose first file holds the bytes, by kind."""
    paths = case.write(folder / "files")
    paths[0].write_bytes(data)
    with pytest.raises(GraphRefusedError) as error:
        read_graph(paths, **{**case.options(folder), **more})
    return {g.kind: list(g.examples) for g in error.value.report.problems if g.severity == "error"}


def test_every_format_has_its_case():
    assert {case.format for case in CASES} | ELSEWHERE == {f.key for f in FORMATS}


@cases
def test_the_format_is_found_from_the_content(case, tmp_path):
    paths = case.write(tmp_path)
    if not case.mapping:
        assert find_format(paths).key == case.format
        assert find_format(tmp_path).key == case.format
    else:
        assert find_format(paths, mapping=case.options(tmp_path / "m")["mapping"]).key == case.format


@cases
def test_count_in_is_count_out(case, tmp_path):
    report = case.read(tmp_path).report
    assert report.balanced
    assert (report.read, report.merged, report.made) == (case.rows, case.merged, case.made)
    assert report.nodes == len(case.ids)
    assert report.skipped == case.rows - case.merged - (len(case.ids) - case.made)


@cases
def test_what_is_left_out_or_odd_is_listed(case, tmp_path):
    report = case.read(tmp_path).report.to_dict()
    assert sorted((entry["line"], entry["what"]) for entry in report["skipped"]) == sorted(case.skipped)
    assert {kind: found["count"] for kind, found in report["warnings"].items()} == case.warnings
    assert report["errors"] == {}


@cases
def test_ids_stay_as_they_are(case, tmp_path):
    """Also those that differ only in case or in leading zeros."""
    ids = [node.id for node in case.read(tmp_path).nodes]
    assert sorted(ids) == sorted(case.ids)
    folded = [i.casefold() for i in ids]
    assert len(set(folded)) < len(folded)


@cases
def test_the_graph_says_where_it_comes_from(case, tmp_path):
    snapshot = case.read(tmp_path).snapshot
    assert snapshot.attribution
    assert snapshot.title
    assert snapshot.languages


@cases
def test_twice_the_same(case, tmp_path):
    first, second = (case.read(tmp_path / name) for name in ("1", "2"))
    assert first.nodes == second.nodes
    assert first.snapshot.key == second.snapshot.key
    assert first.snapshot.content_hash == second.snapshot.content_hash
    assert first.report == second.report


@cases
def test_a_byte_order_mark_and_a_packed_file_change_nothing(case, tmp_path):
    plain = case.read(tmp_path)
    paths = case.write(tmp_path / "marked")
    for path in paths:
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_graph(paths, **case.options(tmp_path)).nodes == plain.nodes
    for path in case.write(tmp_path / "packed"):
        path.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    assert read_graph(tmp_path / "packed", **case.options(tmp_path)).nodes == plain.nodes


@cases
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_refused_with_the_reason(case, tmp_path, encoding):
    text = next(iter(case.files.values()))
    errors = _refusal(case, tmp_path, text.encode(encoding))
    assert "UTF-16" in errors["bad_encoding"][0].message


@cases
def test_other_bytes_are_refused_with_their_line(case, tmp_path):
    text = next(iter(case.files.values())).encode()
    errors = _refusal(case, tmp_path, text[:20] + b"\n\xe4 " + text[20:])
    line = text[:20].count(b"\n") + 2
    assert errors["bad_encoding"][0].where.endswith(f":{line}")


@cases
def test_an_archive_and_a_pickle_are_refused_by_content(case, tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x", "y")
    assert "ZIP archive" in _refusal(case, tmp_path, packed.getvalue())["bad_encoding"][0].message
    errors = _refusal(case, tmp_path, pickle.dumps({"graphs": []}))
    assert "pickle" in errors["bad_encoding"][0].message


@cases_where(lambda case: len(case.files) == 1 and not case.mapping)
def test_a_file_is_not_judged_by_its_name(case, tmp_path):
    (path,) = case.write(tmp_path)
    other = path.rename(tmp_path / "graph.zip")
    assert find_format(other).key == case.format
    assert len(read_graph(other).nodes) == len(case.ids)


@cases
def test_a_file_over_the_limit_is_refused_before_it_is_read(case, tmp_path):
    text = next(iter(case.files.values()))
    errors = _refusal(case, tmp_path, text.encode() * 3, max_bytes=len(text))
    assert set(errors) == {"file_too_large"}


@cases
def test_the_limit_counts_unpacked_bytes(case, tmp_path):
    errors = _refusal(case, tmp_path, gzip.compress(b" " * 1_000_000), max_bytes=100_000)
    assert set(errors) == {"file_too_large"}


@cases_where(lambda case: case.bomb)
def test_nesting_without_end_is_refused(case, tmp_path):
    assert set(_refusal(case, tmp_path, case.bomb.encode())) == {"nested_too_deep"}


@pytest.mark.parametrize("case", [OWL, GRAPHML], ids=lambda case: case.format)
@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE x SYSTEM "http://192.0.2.1/x.dtd">',
    ],
)
def test_xml_with_entities_is_refused(case, tmp_path, doctype):
    declaration, rest = next(iter(case.files.values())).split("\n", 1)
    errors = _refusal(case, tmp_path, f"{declaration}\n{doctype}\n{rest}".encode())
    assert set(errors) == {"xml_entities"}
    assert errors["xml_entities"][0].where.endswith(":2")


@cases
def test_a_cut_file_is_refused_or_read_up_to_there(case, tmp_path):
    text = next(iter(case.files.values())).encode()
    paths = case.write(tmp_path / "files")
    paths[0].write_bytes(text[: len(text) // 2])
    try:
        graph = read_graph(paths, **case.options(tmp_path))
    except GraphRefusedError as error:
        kinds, ids = {g.kind for g in error.report.problems if g.severity == "error"}, set()
    else:
        kinds, ids = set(), {node.id for node in graph.nodes}
    assert kinds <= {"bad_json", "bad_xml"}
    assert ids <= set(case.ids)


@cases_where(lambda case: case.cycle)
def test_a_cycle_is_named_and_refused_or_cut(case, tmp_path):
    paths = case.write(tmp_path, case.cycle)
    with pytest.raises(GraphRefusedError, match=r"runs in a circle: .* → .* → "):
        read_graph(paths, **case.options(tmp_path / "m"))
    report = read_graph(paths, **case.options(tmp_path / "m"), break_cycles=True).report
    assert len(report.cut) == 1
    assert report.count("cut_cycle") == 1


@cases
def test_an_empty_file_is_refused(case, tmp_path):
    assert _refusal(case, tmp_path, b"")
