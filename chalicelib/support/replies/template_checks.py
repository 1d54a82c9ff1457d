"""Faults in an operator's own texts, found before they are published; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from chalicelib.support.replies.template_texts import TEXTS
from chalicelib.support.replies.templates import CATALOGUE, SHARED_VALUES

MAX_CHARACTERS = 4000


def faults(
    templates: Mapping[str, Mapping[str, str]], closings: Mapping[str, str]
) -> Iterator[str]:
    """The faults in an operator's texts, each with its place in the settings document.

    Args:
        templates: texts by template and language.
        closings: the end of every text, by language.
    """
    for name, texts in templates.items():
        if name not in TEXTS:
            yield f"templates.{name}: no such template"
            continue
        allowed = CATALOGUE[name].required | CATALOGUE[name].optional | SHARED_VALUES
        for language, text in texts.items():
            place = f"templates.{name}.{language}"
            yield from (f"{place}: {fault}" for fault in _faults(text, allowed))
    for language, text in closings.items():
        place = f"closing.{language}"
        yield from (f"{place}: {fault}" for fault in _faults(text, SHARED_VALUES))
        if "reference" not in _always_shown(text):
            yield f"{place}: it needs {{{{reference}}}}, by which a sent reply is found again"


def _always_shown(text: str) -> frozenset[str]:
    """The names of the values that a text shows in every case: those outside of optional sections."""
    depth, shown = 0, set()
    for mark, name in _MUSTACHE.findall(text):
        if mark:
            depth += -1 if mark == "/" else 1
        elif depth == 0:
            shown.add(name)
    return frozenset(shown)


def _faults(text: str, allowed: frozenset[str]) -> Iterator[str]:
    if not text.strip():
        yield "the text is empty"
    if len(text) > MAX_CHARACTERS:
        yield f"more than {MAX_CHARACTERS} characters"
    if any(not character.isprintable() and character != "\n" for character in text):
        yield "it has control characters"
    unknown = sorted({name for _, name in _MUSTACHE.findall(text)} - allowed)
    if unknown:
        yield f"no such value: {', '.join(unknown)}; there are {', '.join(sorted(allowed))}"
    rest = _MUSTACHE.sub("", text)
    if "{{" in rest or "}}" in rest:
        yield "only {{value}}, {{#value}}, {{^value}} and {{/value}} are known"
    else:
        yield from _unbalanced(text)


def _unbalanced(text: str) -> Iterator[str]:
    """The first fault of a text's sections: one that is not closed, or closed without being open."""
    opened: list[str] = []
    for mark, name in _MUSTACHE.findall(text):
        if mark in ("#", "^"):
            opened.append(name)
        elif mark == "/" and (not opened or opened.pop() != name):
            yield f"{{{{/{name}}}}} closes a section that is not open"
            return
    if opened:
        yield f"{{{{#{opened[-1]}}}}} is not closed"


_MUSTACHE = re.compile(r"(?<!\{)\{\{\s*([#^/]?)\s*(\w+)\s*\}\}(?!\})")
