"""The page behind an e-mail's link: what holds, and its buttons; pure.

It works without script, in the conversation's language, and does not name the recipient: who
forwards an e-mail forwards the link.  It offers all messages of the company, none, or those
at a time and on a channel (`preference_form`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from html import escape
from http import HTTPStatus

from chalicelib.once.door import Answer
from chalicelib.outreach.consent import preference_form
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.languages import Language, language_of, written
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.wishes.preference import Preferences

_HEADERS: Mapping[str, str] = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"
    "; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
}
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:1.125rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:34rem;padding:1.5rem}"
    "h1{font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}p{overflow-wrap:anywhere}"
    "select{font:inherit;min-height:3rem;max-width:100%}"
    "button{font:inherit;min-height:3rem;padding:.5rem 1.25rem;max-width:100%}"
)
_UNNAMED = "this sender"
"""Of a conversation that is kept no more."""
_TITLE = written("page_title")
_STOPPED = written("page_stopped")
_CONTACT = written("contact")
_Button = tuple[str, str, Mapping[Language, str]]
"""A field's name and value, and what is written on the button."""
_STOP: _Button = ("List-Unsubscribe", "One-Click", written("page_stop"))
_RESUME: _Button = ("choice", "resume", written("page_resume"))


class Holds(Enum):
    """What holds for a recipient."""

    OPEN = auto()
    IN_DOUBT = auto()
    """A person has to say whether they have asked to stop, or nothing proves that it was they."""
    STOPPED = auto()
    """By themselves alone."""
    STOPPED_OTHERWISE = auto()


_SHOWN: Mapping[Holds, tuple[Sequence[Mapping[Language, str]], Sequence[_Button]]] = {
    Holds.OPEN: ([written("page_open")], [_STOP]),
    Holds.IN_DOUBT: ([written("page_in_doubt")], [_STOP, _RESUME]),
    Holds.STOPPED: ([_STOPPED], [_RESUME]),
    Holds.STOPPED_OTHERWISE: ([_STOPPED, written("page_stopped_otherwise")], []),
}
"""The sentences of the page and its buttons."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds for a recipient.

    Attributes:
        record: the conversation of the link, where it is still kept.
        holds: by every address that the conversation names.
        preferences: what they wish of time and channel.
        has_zone: their time zone is known, without which hours mean nothing.
    """

    record: Record | None = field(repr=False)
    holds: Holds
    preferences: Preferences = field(default_factory=Preferences)
    has_zone: bool = False


def shown(standing: Standing) -> Answer:
    """The page."""
    record = standing.record
    language = language_of(record) if record else Language.EN
    project = Project(record.item) if record else None
    company = (project.company_name or record.company_id) if record and project else _UNNAMED
    said, buttons = _SHOWN[standing.holds]
    known = project.company_contact if project else None
    contact = _CONTACT[language].format(contact=known) if known else ""
    whole = (one[language].format(company=company, contact=contact) for one in said)
    is_open = standing.holds is Holds.OPEN
    wishes = preference_form.sentences(standing.preferences, language) if is_open else []
    lines = (one[:1].upper() + one[1:] for one in (*whole, *wishes))
    sentences = "".join(f"<p>{escape(one)}</p>" for one in lines)
    title = _TITLE[language].format(company=company)
    forms = "".join(_form(one, language) for one in buttons)
    if is_open and record:
        forms = preference_form.form(language, has_zone=standing.has_zone) + forms
    return _page(HTTPStatus.OK, language, title, f'<div role="status">{sentences}</div>{forms}')


def plain(status: HTTPStatus, content: str) -> Answer:
    """A page that says one thing, in English."""
    return _page(status, Language.EN, "Unsubscribe", content)


def _form(button: _Button, language: Language) -> str:
    name, choice, label = button
    return (
        f'<form method="post"><input type="hidden" name="{name}" value="{choice}">'
        f'<button type="submit">{escape(label[language])}</button></form>'
    )


def _page(status: HTTPStatus, language: Language, title: str, content: str) -> Answer:
    named = escape(title)
    whole = (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{named}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{_STYLE}</style></head><body><main><h1>{named}</h1>{content}</main></body></html>"
    )
    return Answer(status.value, {"html": whole}, _HEADERS)
