"""The page behind an e-mail's unsubscribe link: whether messages are allowed, and its buttons; pure.

The page works without scripts, in the conversation's language.  It does not name the recipient, because
a forwarded e-mail carries the link along.  It offers all messages of the company, none, or those at
a chosen time and on a chosen channel (`preference_form`).
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
from chalicelib.outreach.languages import Language, fixed_text, language_of
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
"""The company's name where the conversation is no longer stored."""
_TITLE = fixed_text("page_title")
_STOPPED = fixed_text("page_stopped")
_CONTACT = fixed_text("contact")
_Button = tuple[str, str, Mapping[Language, str]]
"""The name and value of a button's hidden field, and the button's label."""
_STOP: _Button = ("List-Unsubscribe", "One-Click", fixed_text("page_stop"))
_RESUME: _Button = ("choice", "resume", fixed_text("page_resume"))


class ContactPermission(Enum):
    """What the unsubscribe page says: messages to the recipient are allowed, in doubt or stopped."""

    OPEN = auto()
    IN_DOUBT = auto()
    """A person has to judge a possible STOP, or nothing proves that the recipient wrote it."""
    STOPPED = auto()
    """The recipient stopped the messages by the link or by STOP, and may allow them again on the page."""
    STOPPED_OTHERWISE = auto()


_CONTENT_OF: Mapping[
    ContactPermission, tuple[Sequence[Mapping[Language, str]], Sequence[_Button]]
] = {
    ContactPermission.OPEN: ([fixed_text("page_open")], [_STOP]),
    ContactPermission.IN_DOUBT: ([fixed_text("page_in_doubt")], [_STOP, _RESUME]),
    ContactPermission.STOPPED: ([_STOPPED], [_RESUME]),
    ContactPermission.STOPPED_OTHERWISE: ([_STOPPED, fixed_text("page_stopped_otherwise")], []),
}
"""The page's sentences and buttons for each state."""


@dataclass(frozen=True, slots=True)
class PageContent:
    """What the unsubscribe page shows about a recipient.

    Attributes:
        record: the conversation of the link; None where it is gone or has another recipient.
        permission: whether messages are allowed, judged by all addresses that the conversation names.
        preferences: the times and channels that the recipient wishes.
        has_zone: whether the recipient's time zone is known; if not, the form asks for no hours.
    """

    record: Record | None = field(repr=False)
    permission: ContactPermission
    preferences: Preferences = field(default_factory=Preferences)
    has_zone: bool = False


def recipient_page(standing: PageContent) -> Answer:
    """The unsubscribe page about a recipient, as an answer with status 200."""
    record = standing.record
    language = language_of(record) if record else Language.EN
    project = Project(record.item) if record else None
    company = (project.company_name or record.company_id) if record and project else _UNNAMED
    said, buttons = _CONTENT_OF[standing.permission]
    known = project.company_contact if project else None
    contact = _CONTACT[language].format(contact=known) if known else ""
    whole = (texts[language].format(company=company, contact=contact) for texts in said)
    is_open = standing.permission is ContactPermission.OPEN
    wishes = preference_form.sentences(standing.preferences, language) if is_open else []
    lines = (sentence[:1].upper() + sentence[1:] for sentence in (*whole, *wishes))
    sentences = "".join(f"<p>{escape(line)}</p>" for line in lines)
    title = _TITLE[language].format(company=company)
    forms = "".join(_form(button, language) for button in buttons)
    if is_open and record:
        forms = preference_form.form_html(language, has_zone=standing.has_zone) + forms
    return _page(HTTPStatus.OK, language, title, f'<div role="status">{sentences}</div>{forms}')


def plain_page(status: HTTPStatus, content: str) -> Answer:
    """A page in English with only the given HTML, as an answer with the given status."""
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
