"""Addresses as a request gives them: a phone number in E.164, an e-mail address in lower case."""

from __future__ import annotations

import phonenumbers
from pydantic import validate_email
from pydantic_core import PydanticCustomError

from chalicelib.once import body as bodies
from chalicelib.outreach.numbers import spellings


def phone(text: str) -> str | None:
    """The text as a phone number in E.164; None if it is no possible number.

    An older form of a mobile number, as WhatsApp reports it, is valid too (`numbers.spellings`).
    """
    try:
        number = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        return None
    found = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    is_one = any(
        phonenumbers.is_possible_number(phonenumbers.parse(form)) for form in spellings(found)
    )
    return found if is_one else None


def email(text: str) -> str | None:
    """The text as an e-mail address in lower case, by which replies are matched; None if it is invalid."""
    if bodies.REPLACED in text:
        return None
    try:
        return validate_email(text.strip())[1].lower()
    except (PydanticCustomError, ValueError):
        return None
