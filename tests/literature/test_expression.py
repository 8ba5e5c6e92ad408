"""PubMed's syntax: what is read, where errors are, and that a printed expression is read as the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.literature.expression import (
    LOCAL_FIELDS,
    And,
    DateRange,
    Not,
    Or,
    Term,
    all_of,
    any_of,
    but_not,
    depth,
    leaves,
    phrase,
    published,
    to_text,
    word,
)
from oncosearch.literature.parsing import ExpressionError, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cancer", Term("cancer")),
        ("lung cancer[tiab]", Term("lung cancer", "tiab")),
        ('"lung cancer*"[Title/Abstract]', Term("lung cancer*", "tiab", True)),
        ("Breast Neoplasms[MeSH Terms]", Term("Breast Neoplasms", "mh")),
        ("a OR b AND c", And((Or((Term("a"), Term("b"))), Term("c")))),
        ("a OR (b AND c)", Or((Term("a"), And((Term("b"), Term("c")))))),
        ("a NOT b OR c", Or((Not(Term("a"), Term("b")), Term("c")))),
        ("a AND NOT b", Not(Term("a"), Term("b"))),
        ('"a b" c[ti] (d)', And((Term("a b", phrase=True), Term("c", "ti"), Term("d")))),
        ("a and b", Term("a and b")),
        ("“a b”[ti]", Term("a b", "ti", True)),
        ("2015[dp]", DateRange("2015", "2015")),
        ("2015:3000[dp]", DateRange("2015", "3000")),
        ("2015/3 : 2016/02/29 [pdat]", DateRange("2015/03", "2016/02/29")),
        ('"2015/01/01"[Date - Publication] : "3000"[Date - Publication]', DateRange("2015/01/01", "3000")),
        ("x[gr] AND BCR::ABL1", And((Term("x", "gr"), Term("BCR::ABL1")))),
        ("review[pt] AND 2015", And((Term("review", "pt"), Term("2015")))),
    ],
)
def test_what_is_read(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "code", "position", "found"),
    [
        ("", "expression_empty", 0, ""),
        ("a AND (b OR c", "expression_unbalanced", 6, "("),
        ("a) OR b", "expression_unbalanced", 1, ")"),
        ("(a))", "expression_unbalanced", 3, ")"),
        ('a AND "b', "expression_unbalanced", 6, '"'),
        ("a[ti", "expression_unbalanced", 1, "["),
        ("a AND b[foo]", "expression_unknown_field", 7, "[foo]"),
        ("[ti] a", "expression_operator", 0, "[ti]"),
        ("a AND", "expression_operator", 2, "AND"),
        ("OR a", "expression_operator", 0, "OR"),
        ("a AND OR b", "expression_operator", 6, "OR"),
        ("a AND ()", "expression_operator", 7, "()"),
        ("a AND tum*", "expression_truncation", 6, "tum*"),
        ("a AND tu*mour", "expression_truncation", 8, "tu*mour"),
        ('"breas* cancer"', "expression_truncation", 6, "breas*"),
        ("2016:2015[dp]", "expression_date", 0, "2016:2015"),
        ("a AND 2015/13[dp]", "expression_date", 6, "2015/13"),
        ("2015/02/30[dp]", "expression_date", 0, "2015/02/30"),
        ("soon[dp]", "expression_date", 0, "soon"),
        ("a AND +", "expression_no_word", 6, "+"),
        ("a" * 20_001, "expression_too_long", 20_000, ""),
        ("(" * 10_000, "expression_too_deep", 50, "("),
    ],
)
def test_an_error_says_where_it_is(text, code, position, found):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    error = caught.value
    assert (error.code, error.position) == (code, position)
    assert error.values == {"position": position + 1, "found": found}
    assert str(error).startswith(f"Position {position + 1}: ")


def test_a_field_of_pubmed_alone_is_refused_for_imported_articles():
    assert parse("x[gr]") == Term("x", "gr")
    with pytest.raises(ExpressionError, match=r"Position 2: \[gr\] can be searched in PubMed only") as caught:
        parse("x[gr]", local=True)
    assert caught.value.code == "expression_not_local"


def test_many_changes_of_operator_are_too_deep():
    flat = "a" + "".join(f" {'AND' if n % 2 else 'OR'} b" for n in range(60))
    with pytest.raises(ExpressionError, match="more than 50 groups"):
        parse(flat)
    assert depth(parse("a" + " OR b" * 2000)) == 1


def test_any_text_becomes_a_term():
    assert word('AND (breast) "cancer*" –', "ti") == Term("and breast cancer", "ti")
    assert phrase(' t(9;22) "x"* ') == Term("t(9;22) x", phrase=True)
    with pytest.raises(ValueError, match="no letter"):
        word("--- *")
    with pytest.raises(ValueError, match="no field"):
        phrase("x", "nowhere")
    with pytest.raises(ValueError, match="ends"):
        published("2015/02", "2015/01")
    assert published("2015/2", "2016").days == (20150201, 20161231)


# Any characters that may stand in a word: neither operators, nor what ends a word, nor spaces of any kind.
WORDS = st.from_regex(r"[a-zäα0-9][a-z0-9ß;:/.,'+µ-]{0,8}", fullmatch=True)
STARRED = st.from_regex(r"[a-z]{4,8}\*", fullmatch=True)
FIELDS = st.sampled_from(sorted(LOCAL_FIELDS - {"dp"}))


def _is_no_range(text: str) -> bool:
    return ":" not in text


TERMS = st.builds(
    lambda words, field: Term(" ".join(words), field),
    st.lists(WORDS.filter(_is_no_range) | STARRED, min_size=1, max_size=3),
    FIELDS,
)
PHRASES = st.builds(
    lambda words, field, star: Term(" ".join(words) + star, field, True),
    st.lists(st.from_regex(r"[A-Z(][a-z0-9()\[\]]{4,8}", fullmatch=True), min_size=1, max_size=3),
    FIELDS,
    st.sampled_from(["", "*"]),
)
DATES = st.builds(
    lambda a, b: published(*sorted([a, b])),
    st.integers(1900, 2099).map(str),
    st.integers(1900, 2099).map(str),
) | st.just(published("2001/02", "2003/04/05"))
EXPRESSIONS = st.recursive(
    TERMS | PHRASES | DATES,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4).map(lambda parts: all_of(*parts))
        | st.lists(inner, min_size=1, max_size=4).map(lambda parts: any_of(*parts))
        | st.builds(but_not, inner, inner)
    ),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_a_printed_expression_is_read_as_the_same(expression):
    assert parse(to_text(expression), local=True) == expression


@given(st.text(max_size=80) | st.text(alphabet='ab ()[]"*:AND OR NOT tiabdp 2015/', max_size=60))
def test_whatever_is_typed_is_read_or_refused_at_a_place_in_it(text):
    try:
        found = parse(text)
    except ExpressionError as error:
        assert 0 <= error.position <= len(text)  # noqa: PT017
    else:
        assert parse(to_text(found)) == found
        assert list(leaves(found))


@given(st.text(max_size=40))
def test_a_term_of_any_text_can_be_printed_and_read(text):
    for make in (word, phrase):
        try:
            term = make(text)
        except ValueError:
            continue
        assert parse(to_text(term)) == term
