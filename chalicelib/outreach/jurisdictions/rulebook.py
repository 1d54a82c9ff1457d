"""The rules of each jurisdiction: one file in ``files/`` each, checked when it is read.

A rule has an id such as ``us-federal:calling-hours``, the channels and purposes that it applies to, and
one requirement.  The rule is in our words; its source names the law.  A file whose content changes
gets a new ``version``, which is stored with each message that it allowed.
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
    """A statement that a legal rule may require in a first message, such as how to opt out."""

    IDENTITY = "identity"
    """The company's name, as the message's sender."""
    OPT_OUT = "opt_out"
    RATES = "rates"
    """The statement that the recipient's carrier may charge for messages."""
    FREQUENCY = "frequency"
    """The statement how often messages come."""
    POSTAL_ADDRESS = "postal_address"


class TemplateCategory(StrEnum):
    """WhatsApp's category of an approved template."""

    MARKETING = "marketing"
    UTILITY = "utility"
    AUTHENTICATION = "authentication"


@dataclass(frozen=True, slots=True)
class LegalSource:
    """The law that a jurisdiction's rule comes from."""

    name: str
    section: str
    url: str


@dataclass(frozen=True, slots=True)
class FrequencyCap:
    """A rule's limit of a company's unsolicited messages to one person within a number of hours."""

    messages: int
    hours: int


@dataclass(frozen=True, slots=True)
class ConsentNeeded:
    """A rule's requirement of a consent for the message's channel and purpose.

    Attributes:
        except_customers: a person who has bought from the company needs none.
    """

    except_customers: bool = False


@dataclass(frozen=True, slots=True)
class Requirement:
    """A legal rule as its file has it; exactly one of the fields named in `KINDS` is given.

    Attributes:
        says: the rule in our words.
        sources: names of the file's sources.
        hours: when messages may come, in the recipient's time: ``"mon-fri 09:00-21:00"``.
        no_holidays: no message on the file's public holidays.
        consent_days: maximum number of days since the consent was given.
        templates: WhatsApp's template categories that may carry the message.
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
    """The contents of one jurisdiction's rule file.

    Attributes:
        title: the jurisdiction's name.
        region: where the rules apply: ``us`` with all its states, ``us-fl``; empty: everywhere.
    """

    title: str
    region: str
    version: str
    date: date
    sources: Mapping[str, LegalSource]
    rules: Mapping[str, Requirement]
    holidays: HolidayTable = field(default_factory=HolidayTable)


KINDS = ("hours", "no_holidays", "cap", "words", "consent", "consent_days", "templates")
REASON_CODES: Mapping[str, str] = {
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
    """A legal rule, parsed for use; `kind`, one of `KINDS`, says what it requires, such as a consent."""

    id: str
    requirement: Requirement
    kind: str
    holidays: HolidayTable
    open_hours: tuple[OpenHours, ...]

    @property
    def code(self) -> str:
        """The reason code for a message that this rule refuses."""
        return REASON_CODES[self.kind]


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """One jurisdiction with its rules, from one file.

    Attributes:
        id: the file's name.
    """

    id: str
    file: RuleFile
    rules: tuple[JurisdictionRule, ...]

    @property
    def stamp(self) -> str:
        """The jurisdiction's id and version, stored with each message it allowed: ``us-federal@2026-11``."""
        return f"{self.id}@{self.file.version}"

    def holds_in(self, region: str) -> bool:
        """Whether the jurisdiction's rules apply in a region: a country or one of its states."""
        own = self.file.region
        return not own or region == own or region.startswith(f"{own}-")


@cache
def jurisdictions() -> tuple[Jurisdiction, ...]:
    """All jurisdictions, in order of their ids; the files are read once.

    Raises:
        TableError: a file is malformed.
    """
    return tuple(_read(name) for name in sorted(path.stem for path in FILES.glob("*.toml")))


@cache
def jurisdictions_in(regions: tuple[str, ...]) -> tuple[Jurisdiction, ...]:
    """The jurisdictions whose rules apply in any of the regions; all of them where no region is given."""
    return tuple(
        jurisdiction
        for jurisdiction in jurisdictions()
        if not regions or any(jurisdiction.holds_in(region) for region in regions)
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
        raise TableError(
            f"{rule_id} must have exactly one requirement, and has: {', '.join(kinds) or 'none'}"
        )
    if unknown := set(requirement.sources) - file.sources.keys():
        raise TableError(f"{rule_id} names a source that its file lacks: {min(unknown)}")
    try:
        open_at = hours_of(requirement.hours or ())
    except ValueError:
        raise TableError(f"{rule_id}.hours must have the form mon-fri 09:00-21:00") from None
    return JurisdictionRule(rule_id, requirement, kinds[0], file.holidays, open_at)
