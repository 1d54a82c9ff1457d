"""What a field of a request means: its roles, its unit, its currency; pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from chalicelib.outreach.project.ai_config import DataField
from chalicelib.outreach.value_roles import role_hits, rows
from chalicelib.outreach.writing.checks.text import folded
from chalicelib.outreach.writing.said_values import stems_of
from chalicelib.outreach.writing.value_words import WORDS

_KINDS = ("type", "kind")
"""Last words of a field's name by which it says what the field beside it is: ``amount_type``."""
_UNDECLARED = DataField()
_ENGLISH = ("en",)


@dataclass(frozen=True, slots=True)
class FieldMeaning:
    """What the value of a request's field means: its roles, its unit and its currency.

    Attributes:
        roles: every role (``deposit``, ``balance`` …) that its name, its description and a
            ``…_type`` field beside it give.
        nearest: the roles given by its declared role or name, else by its description's first
            words.
        unit: the unit of a bare number that is a span of time, as `values.toml` names it.
        currency: the currency of a bare number; empty where the number is no sum.
        about: the description that the project declares for it.
    """

    roles: frozenset[str] = frozenset()
    nearest: frozenset[str] = frozenset()
    stems: frozenset[str] = frozenset()
    unit: str = ""
    currency: str = ""
    about: str = field(default="", repr=False)


def meaning_of(
    below: Sequence[str], schema: DataField | None, beside: Mapping[str, str], currency: str
) -> FieldMeaning:
    """The meaning of a field's value, by its name, its declaration and the fields beside it.

    Args:
        below: the names on the path to the field.
        schema: the project's declaration of the field.
        beside: the texts of all fields of the request, by path.
        currency: the currency that a ``currency`` field beside it declares; empty without one.
    """
    declared = schema or _UNDECLARED
    about = declared.description
    name = " ".join(below[-2:])
    # A declared name is English, like its description: "stock" must not be the German "floor".
    of_name = roles_of_name(name, _ENGLISH if about else ())
    head = about.partition(",")[0]
    kind = " ".join(beside.get(f"{'.'.join(below)}_{kind}", "") for kind in _KINDS)
    of_kind = roles_of_name(kind, _ENGLISH)
    of_words = roles_of_name(head, _ENGLISH)
    own = frozenset({declared.role}) if declared.role else of_name
    roles = own | of_name | of_words | of_kind
    unit = _unit(f"{name} {head}")
    is_counted = any("number" in rows()[role].kinds for role in own)
    is_sum = any("money" in rows()[role].kinds for role in own)
    is_plain = not declared.currency and (bool(unit) or (is_counted and not is_sum))
    return FieldMeaning(
        roles,
        (own or of_words) | of_kind,
        stems_of(f"{name} {about} {kind}".replace("_", " ")),
        unit,
        "" if is_plain else declared.currency or currency,
        about,
    )


def roles_of_name(name: str, languages: Collection[str] = ()) -> frozenset[str]:
    """The roles (deposit, balance) that the words of a field's name give, as in ``deposit_amount``."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_\W]+", " ", name)
    return frozenset(hit.role for hit in role_hits(folded(words), languages))


def _unit(words: str) -> str:
    """The unit of time that a field's words name in the plural (``term_months``); else empty."""
    plain = re.sub(r"[_\W]+", " ", folded(words)).split()
    plural = [word for word in plain if word.endswith(("s", "n"))]
    return next(
        (name for name, form in WORDS.units for word in plural if form.fullmatch(word)),
        "",
    )
