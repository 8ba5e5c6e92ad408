"""The parser of PubMed's Boolean syntax, with the position of every error.

As in PubMed, AND, OR and NOT are written in capitals and are read from left to right without precedence; what stands
side by side is joined by AND.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from oncosearch.literature.expression import (
    EVERYWHERE,
    FIELD_OF_TAG,
    LOCAL_FIELDS,
    MAX_DEPTH,
    MAX_LENGTH,
    OPERATORS,
    DateRange,
    Expression,
    Term,
    all_of,
    any_of,
    but_not,
    depth,
    has_word,
    is_date,
    published,
    same_length,
)
from oncosearch.model import UsageError

MIN_STEM = 4

_TOKEN = re.compile(
    r'\s*(?:(?P<open>\()|(?P<close>\))|"(?P<quoted>[^"]*)"|\[(?P<tag>[^\[\]]*)\]|(?P<word>[^\s()\[\]"]+))'
)
_SPACE = re.compile(r"\s*")


class ExpressionError(UsageError):
    """An expression that PubMed would not understand; ``position`` counts characters from 0.

    Codes: ``expression_empty``, ``expression_unbalanced``, ``expression_unknown_field``, ``expression_not_local``,
    ``expression_operator``, ``expression_truncation``, ``expression_date``, ``expression_no_word``,
    ``expression_too_long``, ``expression_too_deep``. The values are ``position`` (from 1) and ``found``.
    """

    def __init__(self, code: str, position: int, found: str, problem: str) -> None:
        self.position = position
        super().__init__(f"Position {position + 1}: {problem}", code=code, position=position + 1, found=found)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def parse(text: str, *, local: bool = False) -> Expression:
    """Return the expression that a text says.

    Parameters
    ----------
    local
        Refuse field tags that only PubMed itself can search.

    Raises
    ------
    ExpressionError
        With the position, if parentheses or quotation marks are unbalanced, a field tag is unknown, an operator has
        nothing to join, a date or a truncation is none.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            "expression_too_long",
            MAX_LENGTH,
            "",
            f"the expression has {len(text):,} characters; {MAX_LENGTH:,} are read.",
        )
    parser = _Parser(_tokens(same_length(text)), len(text), local)
    found = parser.whole()
    if depth(found) > MAX_DEPTH:
        raise _too_deep(0)
    return found


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
            if at == len(text):
                break
            raise _unbalanced(at, text[at])
        kind = str(match.lastgroup)
        start = match.start(kind) - (kind in {"quoted", "tag"})
        found.append(_Token(kind, match[kind], start))
        at = match.end()
    return found


class _Parser:
    def __init__(self, tokens: list[_Token], end: int, local: bool) -> None:
        self._tokens = tokens
        self._end = end
        self._local = local
        self._next = 0
        self._open: list[int] = []

    def whole(self) -> Expression:
        if not self._tokens:
            raise ExpressionError("expression_empty", 0, "", "the expression is empty; type at least one word.")
        found = self._group()
        if (token := self._peek()) is not None:
            raise _unbalanced(token.at, ")")
        return found

    def _group(self) -> Expression:
        left = self._operand(None)
        while (token := self._peek()) is not None and token.kind != "close":
            operator = "AND"
            if token.kind == "word" and token.text in OPERATORS:
                self._next += 1
                operator = token.text
                after = self._peek()
                # "AND NOT" is what many type for NOT.
                if operator == "AND" and after is not None and (after.kind, after.text) == ("word", "NOT"):
                    self._next += 1
                    operator, token = "NOT", after
            right = self._operand(token)
            left = _joined(operator, left, right)
        return left

    def _operand(self, before: _Token | None) -> Expression:
        token = self._peek()
        if token is None or token.kind == "close":
            if token is not None and not self._open:
                raise _unbalanced(token.at, ")")
            if self._open and token is None:
                raise _unbalanced(self._open[-1], "(")
            at = (
                before.at
                if before is not None and before.text in OPERATORS
                else self._end
                if token is None
                else token.at
            )
            raise _dangling(at, before.text if before is not None else "")
        if token.kind == "open":
            return self._parenthesised(token)
        if token.kind == "tag":
            raise ExpressionError(
                "expression_operator", token.at, f"[{token.text}]", f"[{token.text}] stands behind no word or phrase."
            )
        if token.kind == "word" and token.text in OPERATORS:
            raise _dangling(token.at, token.text)
        return self._date_range() or self._term()

    def _parenthesised(self, token: _Token) -> Expression:
        if len(self._open) >= MAX_DEPTH:
            raise _too_deep(token.at)
        self._next += 1
        self._open.append(token.at)
        found = self._group()
        if self._peek() is None:
            raise _unbalanced(token.at, "(")
        self._open.pop()
        self._next += 1
        return found

    def _term(self) -> Expression:
        first = self._tokens[self._next]
        words = [first]
        self._next += 1
        while first.kind == "word" and (token := self._peek()) is not None:
            if token.kind != "word" or token.text in OPERATORS:
                break
            words.append(token)
            self._next += 1
        field, tag_at = self._tag()
        text = " ".join(" ".join(token.text for token in words).split())
        if field == "dp":
            return self._one_date(first, text)
        for token in words:
            _check_stars(token)
        if not has_word(text):
            raise ExpressionError("expression_no_word", first.at, text, f"{text!r} has no letter and no digit.")
        if first.kind == "word":
            text = " ".join(part for part in text.split() if has_word(part))
        if self._local and field not in LOCAL_FIELDS:
            raise ExpressionError(
                "expression_not_local",
                tag_at,
                field,
                f"[{field}] can be searched in PubMed only; imported articles are searched with "
                f"{', '.join(f'[{name}]' for name in sorted(LOCAL_FIELDS))}.",
            )
        return Term(text, field, first.kind == "quoted")

    def _tag(self) -> tuple[str, int]:
        token = self._peek()
        if token is None or token.kind != "tag":
            return EVERYWHERE, -1
        self._next += 1
        field = FIELD_OF_TAG.get(" ".join(token.text.lower().split()))
        if field is None:
            raise ExpressionError(
                "expression_unknown_field",
                token.at,
                f"[{token.text}]",
                f"[{token.text}] is no field tag; common ones are [tiab], [ti], [mh], [pt], [dp], [la].",
            )
        return field, token.at

    def _one_date(self, first: _Token, text: str) -> DateRange:
        start, colon, end = text.partition(":")
        return _range(first.at, start.strip(), end.strip() if colon else start.strip())

    def _date_range(self) -> DateRange | None:
        """Read ``2015 : 2020[dp]`` and ``"2015/01/01"[dp] : "3000"[dp]``, where the colon is a token of its own."""
        at = self._next
        first = self._tokens[at]
        if not is_date(first.text.strip()):
            return None
        dates = []
        tags = 0
        for wanted in ("date", "colon", "date"):
            token = self._peek()
            if token is None or (wanted == "colon" and (token.kind, token.text) != ("word", ":")):
                break
            if wanted == "date" and not is_date(token.text.strip()):
                break
            self._next += 1
            if wanted == "date":
                dates.append(token.text.strip())
                tag = self._peek()
                if tag is not None and tag.kind == "tag" and self._tag()[0] == "dp":
                    tags += 1
        if len(dates) == 2 and tags:
            return _range(first.at, *dates)
        self._next = at
        return None

    def _peek(self) -> _Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None


def _joined(operator: str, left: Expression, right: Expression) -> Expression:
    if operator == "NOT":
        return but_not(left, right)
    return all_of(left, right) if operator == "AND" else any_of(left, right)


def _check_stars(token: _Token) -> None:
    parts = token.text.split()
    for number, part in enumerate(parts):
        star = part.find("*")
        if star < 0:
            continue
        at = token.at + token.text.find(part) + (token.kind == "quoted")
        if star != len(part) - 1 or (token.kind == "quoted" and number != len(parts) - 1):
            raise ExpressionError(
                "expression_truncation", at + star, part, f"{part!r}: * may stand only at the end of a word or phrase."
            )
        if star < MIN_STEM:
            raise ExpressionError(
                "expression_truncation", at, part, f"{part!r}: at least {MIN_STEM} characters must stand before *."
            )


def _range(at: int, start: str, end: str) -> DateRange:
    try:
        return published(start, end)
    except ValueError as error:
        raise ExpressionError(
            "expression_date", at, f"{start}:{end}" if start != end else start, f"{error}."
        ) from error


def _unbalanced(at: int, found: str) -> ExpressionError:
    problems = {
        "(": 'this "(" is never closed.',
        ")": 'this ")" closes no "(".',
        '"': "this quotation mark is never closed.",
        "[": "this field tag is never closed by ].",
        "]": "this ] closes no field tag.",
    }
    return ExpressionError("expression_unbalanced", at, found, problems[found])


def _dangling(at: int, operator: str) -> ExpressionError:
    if operator in OPERATORS:
        return ExpressionError("expression_operator", at, operator, f"{operator} needs something on both sides.")
    return ExpressionError("expression_operator", at, "()", "these parentheses hold nothing.")


def _too_deep(at: int) -> ExpressionError:
    return ExpressionError(
        "expression_too_deep",
        at,
        "(",
        f"more than {MAX_DEPTH} groups lie in one another (a change between AND, OR and NOT begins one too).",
    )
