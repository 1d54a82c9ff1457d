"""Adds the words that the law at the recipient's place requires in a first message.

Only a text message gets words here: an e-mail has a footer with sender, postal address and link
(`messages.footer`), and a WhatsApp template's text is approved as it is.  `messages.fixed` adds the
opt-out line.
"""

from __future__ import annotations

from dataclasses import replace

from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.jurisdictions import conversation_rules
from chalicelib.outreach.jurisdictions.permission import rules_for
from chalicelib.outreach.jurisdictions.rulebook import RequiredWord
from chalicelib.outreach.languages import fixed_text, language_of
from chalicelib.outreach.project.project import Project

FREQUENCY_LINE = fixed_text("frequency_line")
RATES_LINE = fixed_text("rates_line")


def with_required_words(record: Record, opening: Draft) -> Draft:
    """A first message with the legally required words added that it lacked and that the settings supply.

    Unchanged on channels of templates and e-mail, and where the project does not enforce the rules.
    """
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
