"""What an opening must say where its recipient is, and the words that code adds for it.

An e-mail has a footer with sender, postal address and link (`messages.footer`), and WhatsApp's template
was approved with its text; so only a text message gets further words.  How to opt out is added to every
opening (`messages.fixed`).
"""

from __future__ import annotations

from dataclasses import replace

from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.jurisdictions import conversation_rules
from chalicelib.outreach.jurisdictions.permission import rules_for
from chalicelib.outreach.jurisdictions.rulebook import RequiredWord
from chalicelib.outreach.languages import language_of, written
from chalicelib.outreach.project.project import Project

FREQUENCY_LINE = written("frequency_line")
RATES_LINE = written("rates_line")


def with_required_words(record: Record, opening: Draft) -> Draft:
    """An opening with the words that it must have and lacks; what no setting has is left out."""
    if record.channel.traits.form is not Form.TEXT or not opening.text:
        return opening
    project = Project(record.item)
    if not project.jurisdictions.enforced:
        return opening
    needed = _needed(record)
    name, language = project.company_name, language_of(record)
    text = opening.text.strip()
    if RequiredWord.IDENTITY in needed and name and name not in text:
        text = f"{name}: {text}"
    ends = {
        RequiredWord.POSTAL_ADDRESS: project.company_address,
        RequiredWord.FREQUENCY: FREQUENCY_LINE[language],
        RequiredWord.RATES: RATES_LINE[language],
    }
    added = [end for word, end in ends.items() if word in needed and end and end not in text]
    return replace(opening, text=" ".join([text, *added]))


def _needed(record: Record) -> set[RequiredWord]:
    rules = rules_for(
        conversation_rules.place_of(record), record.channel, conversation_rules.purpose_of(record)
    )
    return {word for rule in rules for word in rule.requirement.words or ()}
