"""Texts that no model writes: the opt-out line, the machine disclosure, the answers to STOP and HELP.

They are rows of ``texts.toml`` in the project's ``language``, English by default; the answer to HELP is in
the keyword's language where only one language has that keyword.
Optional settings of a project::

    language         "es"                            one of `Language`
    company_contact  "+1 555 010 9000"               where a person of the company can be reached
    help_text        {"es": "Cucumber: llame al +1 555 010 9000."}   in place of the wording below
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

from chalicelib.outreach.channel_traits import Form
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.languages import Language, fixed_text, language_of
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.wishes.machine_question import answer_to

CARRIER, OWN = "carrier", "own"
"""Values of ``opt_out_answers`` in a channel's settings: who answers STOP, START and HELP."""


OPT_OUT_LINE = fixed_text("opt_out_line")
MACHINE_LINE = fixed_text("machine_line")
STOP_CONFIRMATION = fixed_text("stop_confirmation")
MARKETING_STOPPED = fixed_text("marketing_stopped")
HELP_ANSWER = fixed_text("help_answer")
PERSON_WILL_ANSWER = fixed_text("person_will_answer")
_CONTACT = fixed_text("contact")
_INSTRUCTION = re.compile(
    r"\b(?i:reply|replying|text|texting|send|sending|answer|write|respond|type"
    r"|responda|responde|respondan|responder|envíe|envía|envia|envie|mande|escriba|conteste"
    r"|répondez|réponds|répondre|envoyez|tapez|antworten|antworte|schreiben|schreibe|senden|sende"
    r"|rispondi|risponda|rispondere|invia|scrivi|scriva|antwoord|beantwoord|stuur|sms)"
    r"(?i: (?:us|back|me|with|by|the word|just|sie|mit|con|con la palabra|avec|par|com|met|het woord|de))*"
    r"[ :]*[\"'*\u00ab\u201c\u201e\u2018]?STOP\b"
    r"|\bSTOP\b[\"'*\u00bb\u201d\u201c\u2019]? ?(?:=|to (?:opt|stop|end|quit|cancel|unsubscribe|be removed))"
)
"""An instruction to reply STOP, in any language of the texts; "the bus STOP" is none."""


def with_opt_out_line(record: Record, opening: Draft) -> Draft:
    """A first message with a line added that says how to opt out.

    It is unchanged if it says so already, has no text, or is for a template.
    """
    of = record.channel.traits
    if of.form is Form.TEMPLATE or not opening.text:
        return opening
    if says_how_to_opt_out(opening.text):
        return opening
    line = OPT_OUT_LINE[language_of(record)]
    html = opening.html
    if html:
        before, end, after = html.rpartition("</body>")
        html = f"{before}<p>{line}</p>{end}{after}" if end else f"{html}<p>{line}</p>"
    return replace(opening, text=f"{opening.text.rstrip()}{of.separator}{line}", html=html)


def says_how_to_opt_out(text: str) -> bool:
    """Whether a text instructs its reader to answer STOP, in any language of the fixed texts."""
    return any(line in text for line in OPT_OUT_LINE.values()) or bool(_INSTRUCTION.search(text))


def machine_line(record: Record, language: Language | None = None) -> str:
    """The sentence that discloses that a machine writes, in the given language or else the project's."""
    return MACHINE_LINE[language or language_of(record)].format(company=_company(record))


def machine_answer(record: Record, message: str) -> str:
    """The answer to the question whether a machine writes, for a language that has no fixed texts.

    Empty for any other message.
    """
    return answer_to(message).format(company=_company(record))


def says_machine(record: Record, text: str) -> bool:
    """Whether a text contains the sentence that discloses that a machine writes, in any language."""
    return any(line.format(company=_company(record)) in text for line in MACHINE_LINE.values())


def with_machine_line(draft: Draft, line: str, channel: Channel, *, is_first: bool) -> Draft:
    """A draft with the machine disclosure after its text, or before it where `is_first`."""
    text = draft.text.strip()
    parts = [line, text] if is_first else [text, line]
    html = draft.html
    if html:
        mark = f"<p>{escape(line)}</p>"
        before, end, after = html.rpartition("</body>")
        html = f"{before}{mark}{end}{after}" if end else f"{html}{mark}"
    return replace(
        draft, text=channel.traits.separator.join(part for part in parts if part), html=html
    )


def stop_confirmation(record: Record, *, is_limited: bool = False) -> str:
    """The text that confirms a STOP; `is_limited` where the STOP is about marketing only."""
    texts = MARKETING_STOPPED if is_limited else STOP_CONFIRMATION
    return texts[language_of(record)].format(company=_company(record))


def person_will_answer(record: Record) -> str:
    """The text which says that a person will answer, sent where the model's budget is used up."""
    return PERSON_WILL_ANSWER[language_of(record)].format(company=_company(record))


def help_answer(record: Record, asked_in: str | None) -> str:
    """The answer to HELP: the project's ``help_text``, else the fixed text.

    Args:
        record: the conversation.
        asked_in: the keyword's language; None where several languages have the keyword.
    """
    language = Language(asked_in) if asked_in in set(Language) else language_of(record)
    project = Project(record.item)
    own = (project.help_text or {}).get(language)
    if own:
        return own
    contact = project.company_contact
    return HELP_ANSWER[language].format(
        company=_company(record),
        project=project.project_name or record.project_id,
        contact=_CONTACT[language].format(contact=contact) if contact else "",
    )


def is_answered_by_carrier(record: Record, job: InboundMessage) -> bool:
    """Whether the carrier itself answers a message of STOP or HELP, so that we must not.

    Twilio answers its own keywords on SMS unless the account turned that off; the channel's setting
    ``opt_out_answers`` overrides what the job says.
    """
    setting = record.channel_config.get("opt_out_answers")
    if setting in (CARRIER, OWN):
        return bool(setting == CARRIER)
    return job.carrier_answers


def _company(record: Record) -> str:
    return Project(record.item).company_name or record.company_id
