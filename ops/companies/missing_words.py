"""The settings that a project lacks to say what a jurisdiction requires of openings."""

from __future__ import annotations

from collections.abc import Mapping

from chalicelib.outreach.consent.contact_purpose import ContactPurpose
from chalicelib.outreach.jurisdictions import conversation_rules
from chalicelib.outreach.jurisdictions.rulebook import RequiredWord, jurisdictions
from chalicelib.outreach.project.project import Project

SETTINGS: Mapping[RequiredWord, str] = {
    RequiredWord.IDENTITY: "company_name",
    RequiredWord.POSTAL_ADDRESS: "company_address",
}
"""The setting that supplies a required word; code supplies the others."""


def details(project: Project) -> list[str]:
    """A sentence for each setting that is missing, with the rules that refuse openings without it."""
    if not project.jurisdictions.enforced:
        return []
    said, purpose = (
        conversation_rules.words_of(project),
        project.message_kind or ContactPurpose.MARKETING,
    )
    wanting: dict[str, list[str]] = {}
    for rule in (rule for jurisdiction in jurisdictions() for rule in jurisdiction.rules):
        asked = rule.requirement
        holds = purpose in asked.purposes and set(asked.channels) & set(project.allowed_channels)
        for word in set(asked.words or ()) - said if holds else ():
            wanting.setdefault(SETTINGS[word], []).append(rule.id)
    return [
        f"{setting} is missing: openings are refused by {', '.join(rules)}"
        for setting, rules in sorted(wanting.items())
    ]
