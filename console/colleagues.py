"""Who works for a company: the people to whom a conversation can be handed.

As text it is JSON, such as ``{"ci-aaa-001": ["sam@example.com", "Zoë Müller"]}``: names as people sign in
with them.  Of a company without a list any name is taken.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from chalicelib.outreach.people import persons

Colleagues = Mapping[str, tuple[str, ...]]
VARIABLE = "CONSOLE_COLLEAGUES"


class WrongColleaguesError(ValueError):
    """The setting is wrong; the message says how."""


def colleagues(text: str) -> Colleagues:
    """The names of each company; none of an empty text.

    Raises:
        WrongColleaguesError: names what is wrong.
    """
    if not text:
        return {}
    try:
        raw = json.loads(text)
    except ValueError:
        raise WrongColleaguesError("it is not JSON") from None
    if not isinstance(raw, dict):
        raise WrongColleaguesError("it is not a JSON object, company by company")
    return {company: _names(company, names) for company, names in raw.items()}


def _names(company: str, given: object) -> tuple[str, ...]:
    names = [persons.known(one) for one in given] if isinstance(given, list) else []
    if not names or None in names:
        raise WrongColleaguesError(f"the colleagues of {company!r} are not a list of names")
    return tuple(sorted(one for one in names if one))
