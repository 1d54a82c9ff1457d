"""The texts of the templates, by id and language: the rows of ``template_texts.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from chalicelib.tables import Rows, beside, read

ByLanguage = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TemplateTexts:
    """All rows of ``template_texts.toml``, the texts of replies.

    Attributes:
        greeting: begins every text.
        closing: ends every text.
        texts: the part between greeting and closing, by template and language.
    """

    greeting: ByLanguage
    closing: ByLanguage
    texts: Mapping[str, ByLanguage]


FILE = beside(__file__, "template_texts.toml")


@cache
def _file() -> TemplateTexts:
    return read(FILE, TemplateTexts)


def _texts() -> Mapping[str, ByLanguage]:
    greeting = _file().greeting
    return {
        name: {language: f"{greeting[language]}\n\n{text.strip()}" for language, text in of.items()}
        for name, of in _file().texts.items()
    }


CLOSING: ByLanguage = Rows(lambda: {key: text.strip() for key, text in _file().closing.items()})
"""Ends every text; the reference lets read-back find the reply."""
TEXTS: Mapping[str, ByLanguage] = Rows(_texts)
