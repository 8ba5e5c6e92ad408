"""Recipes: what they say, and the fault that is named with its place."""

import re

import pytest

from oncosearch.ingest.recipe import Rule, load_recipe
from oncosearch.model import UsageError
from tests.paths import ROOT

SOURCE = '[[sources]]\nname = "a"\npath = "x"\n'


def load(tmp_path, text):
    path = tmp_path / "r.toml"
    path.write_text(text, encoding="utf-8")
    return load_recipe(path)


def test_a_recipe_says_sources_in_order_rules_and_titles(tmp_path):
    recipe = load(
        tmp_path,
        'apart = "everywhere"\n[graph]\nid = "g"\n'
        + SOURCE
        + '[[sources]]\nname = "b"\npath = ["y", "z"]\nparents = "alone"\nlanguage = "en"\n'
        + '[[joins]]\ncodes = "DOID"\ntypes = "disease"\napart = ["q"]\n'
        + '[[titles]]\nfrom = "b"\nlanguage = "de"\ncodes = ["X", "Y"]\ntypes = ["drug"]\n'
        + 'unless = "^n"\nwidest = true\n',
    )
    assert recipe.graph.id == "g"
    assert [(s.name, s.paths, s.parents, s.language) for s in recipe.sources] == [
        ("a", ("x",), "all", None),
        ("b", ("y", "z"), "alone", "en"),
    ]
    assert recipe.joins == (Rule(types=("disease",), systems=("DOID",), apart=frozenset({"q", "everywhere"})),)
    (titles,) = recipe.titles
    assert (titles.source, titles.rule.label, titles.rule.widest, titles.unless) == ("b", "X/Y", True, re.compile("^n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[graph]\n", "there are no sources"),
        (SOURCE + SOURCE, "two sources are named 'a'"),
        ('[[sources]]\nname = "a"\n', "path is missing"),
        (SOURCE + 'parents = "some"\n', "parents is 'some'; expected one of all, alone"),
        (SOURCE + 'foramt = "obo"\n', "sources 1: there is the unknown key 'foramt'"),
        (SOURCE + '[[joins]]\ntypes = ["drug"]\n', "joins 1: names and codes"),
        (SOURCE + '[[joins]]\ntypes = ["drug"]\nnames = true\ncodes = "ATC"\n', "names and codes"),
        (SOURCE + "[[joins]]\nnames = true\n", "types is missing"),
        (SOURCE + '[[joins]]\nnames = true\ntypes = ["cancer"]\n', "types has 'cancer'; expected some of group, "),
        (SOURCE + '[[titles]]\nfrom = "b"\nlanguage = "de"\ncodes = "X"\ntypes = "drug"\n', "from is 'b'"),
        (SOURCE + '[[titles]]\nfrom = "a"\nlanguage = "D!"\ncodes = "X"\ntypes = "drug"\n', "language is 'D!'"),
        (
            SOURCE + '[[titles]]\nfrom = "a"\nlanguage = "de"\ncodes = "X"\ntypes = "drug"\nstrip = "("\n',
            "the pattern '(' is faulty",
        ),
        ("[[sources", "The recipe r.toml is not valid TOML"),
    ],
)
def test_a_fault_is_named_with_its_place(tmp_path, text, said):
    with pytest.raises(UsageError, match=re.escape(said)) as caught:
        load(tmp_path, text)
    assert "r.toml" in str(caught.value)


def test_the_recipe_of_the_page_is_good(tmp_path):
    (text,) = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "merging.md").read_text("utf-8"), re.DOTALL)
    recipe = load(tmp_path, text)
    assert [source.name for source in recipe.sources] == ["first", "second"]
    assert len(recipe.joins) + len(recipe.titles) == 3
