"""Errors are one readable line on stderr and status 2, never a trace."""

import pytest

from oncosearch.cli import main
from tests.cli.conftest import process

WRONG = [
    (["search", ""], "The query is empty"),
    (["search", "und"], "holds no word"),
    (["search", "x", "--pipeline", "magic"], "There is no pipeline 'magic'; the pipelines are: grag"),
    (["search", "x", "--model", "gpt"], "There is no model 'gpt'; the models are: e5-small"),
    (["search", "x", "--alpha", "1.5"], "alpha is 1.5; it must lie between 0.0 and 1.0"),
    (["search", "x", "--lambda", "-1"], "lambda is -1.0; it must lie between"),
    (["search", "x", "--alpha", "nan"], "alpha is nan"),
    (["search", "x", "--hops", "4"], "hops is 4"),
    (["search", "x", "--seeds", "0"], "seeds is 0"),
    (["search", "x", "--top", "0"], "top is 0"),
    (["search", "x", "--graph", "none"], "none"),
    (["search", "x", "--snapshot", "1999"], "1999"),
    (["search", "x", "--type", "animal"], "invalid choice: 'animal'"),
    (["search", "x", "--top", "many"], "invalid int value: 'many'"),
    (["search", "x", "--colour"], "unrecognized arguments: --colour"),
    (["search", "x", "--mod", "e5-small"], "unrecognized arguments: --mod"),
    (["search"], "required: QUERY"),
    (["show", "nothing"], "There is no node 'nothing'"),
    (["show", "two\nlines"], "There is no node"),
    (["index", "--model", "gpt"], "There is no model 'gpt'"),
    (["index", "--model", "bgem3"], "Model 'bgem3' cannot be used here"),
    (["ingest", "does/not/exist"], "does not exist"),
    (["ingest", "README.md"], "README.md holds no graph in a known format"),
    (["ingest", "docs"], "holds no graph in a known format"),
    (["run", "--topics", "none.tsv", "--out", "x"], "none.tsv cannot be read"),
    (["frobnicate"], "invalid choice: 'frobnicate'"),
    ([], "required: COMMAND"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_an_error_is_one_line_and_status_2(run, arguments, said, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    done = run(*arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith("oncosearch")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_file_that_cannot_be_written_is_named(run, tmp_path):
    done = run("ingest", "tests/data/small", "--dry-run", "--report", tmp_path / "no" / "report.json")
    assert done.status == 2
    assert done.err == f"oncosearch: {tmp_path / 'no'} is no folder; make it first. Nothing was done.\n"


def test_a_home_that_is_a_file_is_named(run, tmp_path):
    (tmp_path / "file").touch()
    done = run("snapshots", home=tmp_path / "file")
    assert done.status == 2
    assert str(tmp_path / "file") in done.err


def test_a_database_that_is_none_is_named(run, tmp_path):
    home = tmp_path / "home2"
    home.mkdir()
    (home / "oncosearch.db").write_text("no database, but long enough to be taken for one" * 30)
    done = run("snapshots", home=home)
    assert done.status == 2
    assert "oncosearch.db" in done.err
    assert done.err.count("\n") == 1


def test_a_bad_environment_is_named(run, monkeypatch):
    monkeypatch.setenv("ONCOSEARCH_STORE", "postgres://x")
    done = run("snapshots")
    assert done.status == 2
    assert "ONCOSEARCH_STORE is 'postgres://x'" in done.err


def test_an_empty_store_says_what_to_do(run, tmp_path):
    done = run("search", "x", home=tmp_path / "new")
    assert (done.status, done.err) == (2, "oncosearch: The store holds no graph yet. Run: python -m oncosearch demo\n")


def test_an_error_of_the_program_itself_is_not_hidden(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    monkeypatch.setattr("oncosearch.cli.models.settings_of", broken)
    with pytest.raises(ZeroDivisionError):
        main(["models"])


def test_help_and_version_are_no_errors(capsys):
    assert main(["--help"]) == 0
    assert "no medical advice" in " ".join(capsys.readouterr().out.split())
    assert main(["search", "--help"]) == 0
    assert "--lambda" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("oncosearch ")


def test_a_query_that_is_no_utf8_is_searched_for_as_far_as_it_can_be_read(home):
    query = b"Leuk\xe4mie AML".decode("utf-8", "surrogateescape")
    done = process("--home", home, "search", query, "--pipeline", "lexical")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Akute myeloische Leukämie" in done.stdout.decode("utf-8")
