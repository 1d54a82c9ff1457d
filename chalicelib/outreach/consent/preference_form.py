"""A recipient's preferences as sentences of their page, and the form that changes them; pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from urllib.parse import parse_qs

from chalicelib.outreach.languages import ByLanguage, Language, fixed_text
from chalicelib.outreach.wishes.preference import (
    DAY_PARTS,
    WEEK,
    About,
    Channels,
    Contact,
    Hours,
    Preferences,
    Wish,
)

ANY = "any"
_NAMES = {Contact.SMS: "SMS", Contact.WHATSAPP: "WhatsApp", Contact.EMAIL: "e-mail"}
_CALL = fixed_text("page_call")
_HOURS, _CHANNELS, _REFUSED = map(fixed_text, ("page_hours", "page_channels", "page_refused"))
_DAYS, _WHEN, _HOW = map(fixed_text, ("page_days", "page_when", "page_how"))
_UNCHANGED, _ANY, _SAVE = map(fixed_text, ("page_unchanged", "page_any", "page_save"))
_PARTS: Mapping[str, ByLanguage] = {
    part: fixed_text(f"page_{part}") for part in ("morning", "afternoon", "evening")
}


def sentences(preferences: Preferences, language: Language) -> list[str]:
    """A recipient's stored preferences (hours, channels) as sentences in the given language.

    An empty list without preferences.
    """
    found = []
    if preferences.hours:
        found.append(_HOURS[language].format(hours=_times(preferences.hours, language)))
    if preferences.channels:
        for text, named in (
            (_CHANNELS, preferences.channels.wanted),
            (_REFUSED, preferences.channels.refused),
        ):
            if named:
                found.append(text[language].format(channels=_listed(named, language)))
    return found


def form_html(language: Language, *, has_zone: bool) -> str:
    """The HTML form that changes the preferences; for hours only where the recipient's time zone is known."""
    parts = {part: text[language] for part, text in _PARTS.items()}
    when = _select("hours", _WHEN[language], parts, language) if has_zone else ""
    how = _select(
        "channel",
        _HOW[language],
        {contact.value: name for contact, name in _NAMES.items()},
        language,
    )
    button = f'<button type="submit">{escape(_SAVE[language])}</button>'
    return f'<form method="post">{when}{how}{button}</form>'


def chosen_wish(body: bytes) -> Wish | None:
    """The wish about hours and channel in a posted form; None where the body is not that of this form."""
    fields = parse_qs(body.decode("ascii", "replace"), keep_blank_values=True)
    if not {"hours", "channel"} & fields.keys():
        return None
    hours, channel = (fields.get(name, [""])[0] for name in ("hours", "channel"))
    lifted = {About.HOURS: hours, About.CHANNELS: channel}
    return Wish(
        Hours((DAY_PARTS[hours],)) if hours in _PARTS else None,
        _only(Contact(channel)) if channel in set(_NAMES) else None,
        frozenset(about for about, choice in lifted.items() if choice == ANY),
    )


def _only(channel: Contact) -> Channels:
    return Channels(frozenset({channel}), frozenset(_NAMES) - {channel})


def _select(name: str, label: str, options: Mapping[str, str], language: Language) -> str:
    every = {"": _UNCHANGED[language], **options, ANY: _ANY[language]}
    shown = "".join(
        f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in every.items()
    )
    return f'<p><label>{escape(label)} <select name="{name}">{shown}</select></label></p>'


def _times(hours: Hours, language: Language) -> str:
    windows = ", ".join(window.replace("-", "\u2013") for window in hours.item["windows"])
    names = _DAYS[language].split()
    days = ", ".join(names[day] for day in sorted(hours.days))
    zones = hours.zones[0] if len(hours.zones) == 1 else ""
    shown = windows if hours.days == WEEK else f"{days} {windows}"
    return f"{shown} ({zones})" if zones else shown


def _listed(channels: Iterable[Contact], language: Language) -> str:
    return ", ".join(_NAMES.get(channel, _CALL[language]) for channel in sorted(channels))
