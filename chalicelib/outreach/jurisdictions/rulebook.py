"""The rules of each jurisdiction: a file of ``files/``, checked when it is read.

A rule has an id such as ``us-federal:calling-hours``, the channels and purposes that it holds for, and
one requirement.  Its words are ours; the source beside it has the law's.  A file whose content changes
gets another ``version``, which is stored with each message that it allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cache

from chalicelib.outreach import reasons
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.jurisdictions.holidays import HolidayTable
from chalicelib.outreach.jurisdictions.opening_hours import OpenHours, hours_of
from chalicelib.tables import TableError, beside, read

FILES = beside(__file__, "files")


class RequiredWord(StrEnum):
    """What an opening must say."""

    IDENTITY = "identity"
    """Who writes: the company's name."""
    OPT_OUT = "opt_out"
    RATES = "rates"
    """That the recipient's carrier may charge for messages."""
    FREQUENCY = "frequency"
    """How often messages come."""
    POSTAL_ADDRESS = "postal_address"


class TemplateCategory(StrEnum):
    """WhatsApp's category of an approved template."""

    MARKETING = "marketing"
    UTILITY = "utility"
    AUTHENTICATION = "authentication"


@dataclass(frozen=True, slots=True)
class LegalSource:
    """Where a rule is written."""

    name: str
    section: str
    url: str


@dataclass(frozen=True, slots=True)
class FrequencyCap:
    """At most so many unasked messages of a company to one person within so many hours."""

    messages: int
    hours: int


@dataclass(frozen=True, slots=True)
class ConsentNeeded:
    """Consent for the channel and the purpose.

    Attributes:
        except_customers: who has bought from the company may be written to without it.
    """

    except_customers: bool = False


@dataclass(frozen=True, slots=True)
class Requirement:
    """A rule as its file has it; exactly one of the fields without a default meaning is given.

    Attributes:
        says: in our words.
        sources: names of the file's sources.
        hours: when messages may come, in the recipient's time: ``"mon-fri 09:00-21:00"``.
        no_holidays: none on the file's public holidays.
        consent_days: how old a consent may be.
        templates: WhatsApp's categories that may carry it.
    """

    says: str
    sources: tuple[str, ...]
    channels: tuple[Channel, ...]
    purposes: tuple[ContactPurpose, ...] = (ContactPurpose.MARKETING,)
    hours: tuple[str, ...] | None = None
    no_holidays: bool | None = None
    cap: FrequencyCap | None = None
    words: tuple[RequiredWord, ...] | None = None
    consent: ConsentNeeded | None = None
    consent_days: int | None = None
    templates: tuple[TemplateCategory, ...] | None = None


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A file.

    Attributes:
        title: of the jurisdiction.
        region: where it holds: ``us`` with all its states, ``us-fl``; empty: everywhere.
    """

    title: str
    region: str
    version: str
    date: date
    sources: Mapping[str, LegalSource]
    rules: Mapping[str, Requirement]
    holidays: HolidayTable = field(default_factory=HolidayTable)


KINDS = ("hours", "no_holidays", "cap", "words", "consent", "consent_days", "templates")
CODES: Mapping[str, str] = {
    "hours": reasons.CALLING_HOURS,
    "no_holidays": reasons.PUBLIC_HOLIDAY,
    "cap": reasons.FREQUENCY_CAP,
    "words": reasons.WORDS_MISSING,
    "consent": reasons.CONSENT_MISSING,
    "consent_days": reasons.CONSENT_EXPIRED,
    "templates": reasons.TEMPLATE_CATEGORY,
}
"""Why a message is refused, by the kind of rule that refuses it."""


@dataclass(frozen=True, slots=True)
class JurisdictionRule:
    """A rule as it is applied."""

    id: str
    requirement: Requirement
    kind: str
    holidays: HolidayTable
    open_hours: tuple[OpenHours, ...]

    @property
    def code(self) -> str:
        """Why it refuses."""
        return CODES[self.kind]


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """The rules of one file.

    Attributes:
        id: the file's name.
    """

    id: str
    file: RuleFile
    rules: tuple[JurisdictionRule, ...]

    @property
    def stamp(self) -> str:
        """Which rules allowed a message, as it is stored: ``us-federal@2026-11``."""
        return f"{self.id}@{self.file.version}"

    def holds_in(self, region: str) -> bool:
        """Whether it holds in a country or a state of one."""
        own = self.file.region
        return not own or region == own or region.startswith(f"{own}-")


@cache
def jurisdictions() -> tuple[Jurisdiction, ...]:
    """All of them, by id; read once.

    Raises:
        TableError: a file is not as it must be.
    """
    return tuple(_read(name) for name in sorted(one.stem for one in FILES.glob("*.toml")))


@cache
def holding_in(regions: tuple[str, ...]) -> tuple[Jurisdiction, ...]:
    """Those that hold in one of several regions at least; none given: all, as any may hold."""
    return tuple(
        one
        for one in jurisdictions()
        if not regions or any(one.holds_in(region) for region in regions)
    )


def _read(name: str) -> Jurisdiction:
    file = read(FILES / f"{name}.toml", RuleFile)
    rules = tuple(_rule(name, file, rule_name) for rule_name in file.rules)
    return Jurisdiction(name, file, rules)


def _rule(name: str, file: RuleFile, rule_name: str) -> JurisdictionRule:
    requirement = file.rules[rule_name]
    rule_id = f"{name}:{rule_name}"
    kinds = [kind for kind in KINDS if getattr(requirement, kind) is not None]
    if len(kinds) != 1:
        raise TableError(f"{rule_id} has not one requirement: {', '.join(kinds) or 'none'}")
    if unknown := set(requirement.sources) - file.sources.keys():
        raise TableError(f"{rule_id} names no source of its file: {min(unknown)}")
    try:
        open_at = hours_of(requirement.hours or ())
    except ValueError:
        raise TableError(f"{rule_id}.hours are not like mon-fri 09:00-21:00") from None
    return JurisdictionRule(rule_id, requirement, kinds[0], file.holidays, open_at)
