"""The languages that code writes in, and the one of a project."""

from __future__ import annotations

from enum import StrEnum

from chalicelib.outreach.conversations.records import Record


class Language(StrEnum):
    """Languages of the wordings."""

    EN = "en"
    ES = "es"
    FR = "fr"
    PT = "pt"
    DE = "de"
    IT = "it"
    NL = "nl"


def language_of(record: Record) -> Language:
    """The project's language."""
    given = str(record.item.get("language") or "")
    return Language(given) if given in set(Language) else Language.EN
