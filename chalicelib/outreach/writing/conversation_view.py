"""What a language model sees of a conversation: bounded by tokens, trimmed by rule, redacted.

The model gets one JSON object and then the conversation.  Each message that the machine did not
write is enclosed by marks that name its author (`outreach.trust`).  The rules, in order:

* `ai_config.writer.shown` says which names and which fields of `project_data` are shown at all;
* cards, bank accounts, identity numbers, street addresses, secrets, and e-mail addresses and phone
  numbers other than the recipient's and the company's are masked (`redaction.model_view`), except
  in the company's own fields that `shown.as_written` names;
* fields of `project_data` are shown in the order of `shown`, else by name, while they fit;
  knowledge entries that share most words with the recipient's newest message are shown while they
  fit; of the conversation the newest messages are shown, each cut to 2,000 characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from chalicelib.outreach.channels import ADDRESSES
from chalicelib.outreach.conversations.preferring import known_preferences
from chalicelib.outreach.conversations.records import Entry, Record
from chalicelib.outreach.project.ai_config import Knowledge, ShownToModel, WriterSettings
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.token_counts import tokens
from chalicelib.outreach.trust import Trust, trust_of
from chalicelib.outreach.writing.clocks import clock_of
from chalicelib.outreach.writing.form_names import first_name_of
from chalicelib.outreach.writing.sources import Source, is_free_text, name_of
from chalicelib.redaction import model_view
from chalicelib.vendors.language_model import ModelTurn

_TAG = re.compile(rf"<\s*/?\s*(?:{'|'.join(Trust)})_message\s*>", re.IGNORECASE)
_CONTACTS = ("company_contact", *(address.field for address in ADDRESSES), "primary_channel")


def seen_data(
    record: Record, settings: WriterSettings, newest: str = "", now: datetime | None = None
) -> str:
    """What the model sees of company, project and request, as one JSON object.

    Args:
        record: the conversation.
        settings: the project's.
        newest: the recipient's newest message; knowledge is chosen by its words.
        now: its date is shown, in the recipient's and in the company's time zone.
    """
    item, shown = record.item, settings.shown
    project = Project(item)
    reps = list(project.representatives)
    first_name = first_name_of(record)
    hint = item.get("hint")
    given = {
        "channel": record.channel.value,
        "company": project.company_name or record.company_id,
        "project": project.project_name,
        "representatives": reps if shown.representatives else None,
        "recipient_first_name": first_name if shown.first_name else None,
        "project_data": dict(_seen_fields(record, settings)),
        "knowledge": {entry.id: entry.as_text for entry in _chosen_knowledge(settings, newest)},
        "may_give": [
            *settings.allowed_links,
            *settings.allowed_emails,
            *settings.allowed_numbers,
            *([project.company_contact] if project.company_contact else []),
        ],
        "functions": record.ai_config.get("functions"),
        "tools": record.ai_config.get("tools"),
        "recipient_prefers": _preferences(record),
        "colleague_hint": redacted(record, settings, str(hint)) if hint else None,
        "field_descriptions": {
            n: o.description for n, o in settings.fields.items() if o.description
        },
        "today": _today(record, settings, now) if now else None,
        "template_variables": record.channel_config.get("template_variables"),
    }
    known = {name: value for name, value in given.items() if value}
    return json.dumps(known, ensure_ascii=False, sort_keys=True, default=str)


def _preferences(record: Record) -> dict[str, Any] | None:
    """When and how the recipient wants messages, labelled as the recipient's own word; None where unknown."""
    said = known_preferences(record).plain_values
    return {"trust": Trust.RECIPIENT.value, **said} if said else None


def seen_sources(
    record: Record, settings: WriterSettings, sources: Sequence[Source]
) -> dict[str, str]:
    """The sources that the project's judge (a model) sees, by path: masked, and only the shown fields."""
    own = "project_data."
    data = record.item.get("project_data")
    seen = _names(data, settings.shown) if isinstance(data, Mapping) else []
    return {
        source.path: source.text
        if source.author is Trust.COMPANY and _is_as_written(settings, source.path.split(".")[1:])
        else redacted(record, settings, source.text)
        for source in sources
        if not source.path.startswith(own) or source.path.removeprefix(own).split(".")[0] in seen
    }


def _today(record: Record, settings: WriterSettings, now: datetime) -> dict[str, str]:
    """Weekday, date and zone of today, for the recipient and for the company."""
    clock = clock_of(record, settings, now)
    return {
        name: f"{now.astimezone(zone):%A %Y-%m-%d} ({zone.key})"
        for name, zone in (("recipient", clock.recipient), ("company", clock.place))
    }


def seen_turns(
    record: Record, settings: WriterSettings, history: Sequence[Entry]
) -> list[ModelTurn]:
    """The newest messages that fit the limit of tokens, oldest first, as turns for the model.

    Identifiers in them are masked; a message that is not ours is put between marks that name its
    author.  The newest message is always included.
    """
    left, turns = settings.limits.history_tokens, list[ModelTurn]()
    for entry in reversed(history):
        text = redacted(record, settings, entry.content)
        left -= tokens(text)
        if left < 0 and turns:
            break
        is_ours = entry.role == "assistant"
        said = text if is_ours else delimited(text, trust_of(entry))
        turns.append(ModelTurn("assistant" if is_ours else "user", said))
    return turns[::-1]


def delimited(text: str, trust: Trust = Trust.RECIPIENT) -> str:
    """A message between marks that name its author; such marks within the text are removed."""
    return f"<{trust}_message>\n{_TAG.sub(' ', text)}\n</{trust}_message>"


def redacted(record: Record, settings: WriterSettings, text: str) -> str:
    """A text cut to 2,000 characters, with the identifiers masked that no answer needs."""
    return model_view(text, needed=_needed_contacts(record, settings))


def lines_for_company(settings: WriterSettings) -> list[str]:
    """Lines for the company that say in plain words what the model gets to see of the project."""
    shown, limits = settings.shown, settings.limits
    data = shown.project_data
    fields = ", ".join(data) if isinstance(data, list) else "all" if data else "none"
    return [
        "the channel, the names of company and project, the addresses that may be given",
        f"the recipient's first name: {_yes(shown.first_name)}; never the last name, number or address",
        f"names of representatives: {_yes(shown.representatives)}",
        f"fields of project_data: {fields}; at most {limits.data_tokens:,} tokens",
        f"without masks: {', '.join(shown.as_written) or 'none'}",
        f"knowledge: {len(settings.knowledge)} entries, at most {limits.knowledge_tokens:,} tokens",
        f"the newest messages, at most {limits.history_tokens:,} tokens",
        "masked: cards, bank accounts, identity numbers, plates, dates of birth, street addresses, secrets, others' contacts",
    ]


def _yes(is_shown: bool) -> str:  # noqa: FBT001 - one word of a sentence
    return "shown" if is_shown else "not shown"


def _needed_contacts(record: Record, settings: WriterSettings) -> list[str]:
    own = [record.item.get(name) for name in _CONTACTS]
    config: Mapping[str, Any] = record.channel_config
    senders = [value for name, value in config.items() if name.startswith("company_")]
    return [
        str(contact)
        for contact in (*own, *senders, *settings.allowed_emails, *settings.allowed_numbers)
        if contact
    ]


def _seen_fields(record: Record, settings: WriterSettings) -> Iterator[tuple[str, Any]]:
    data = record.item.get("project_data")
    if not isinstance(data, Mapping):
        return
    left = settings.limits.data_tokens
    for name in _names(data, settings.shown):
        value = _redacted_value(record, settings, (name,), data[name])
        cost = tokens(json.dumps([name, value], ensure_ascii=False, default=str))
        if cost <= left:
            left -= cost
            yield name, value


def _names(data: Mapping[str, Any], shown: ShownToModel) -> list[str]:
    if isinstance(shown.project_data, list):
        return [field for field in shown.project_data if field in data]
    return sorted(data) if shown.project_data else []


def _redacted_value(
    record: Record,
    settings: WriterSettings,
    below: tuple[str, ...],
    value: Any,  # noqa: ANN401 - JSON
) -> Any:  # noqa: ANN401 - JSON
    """The value of a request's field with identifiers masked.

    The company's own fields that the project shows as written are unchanged.  The field's name is
    masked together with the value, as it says what a bare number is.
    """
    if isinstance(value, Mapping):
        return {
            n: _redacted_value(record, settings, (*below, str(n)), inner)
            for n, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_redacted_value(record, settings, below, item) for item in value]
    if value is None or isinstance(value, bool):
        return value
    schema = settings.fields.get(name_of(below))
    if _is_as_written(settings, below) and not is_free_text(below, str(value), schema):
        return value
    label = f"{below[-1].replace('_', ' ')}: "
    text = redacted(record, settings, label + str(value))
    kept = text.removeprefix(label)
    return value if kept == str(value) else kept


def _is_as_written(settings: WriterSettings, below: Sequence[str]) -> bool:
    """Whether the project has declared that a field of the request is shown without masks."""
    return name_of(below) in settings.shown.as_written


def _chosen_knowledge(settings: WriterSettings, newest: str) -> list[Knowledge]:
    """The knowledge entries shown to the model, as many as fit: first those nearest to the message.

    They are returned in the company's order.
    """
    asked = _words(newest)
    ranked = sorted(
        settings.knowledge, key=lambda entry: len(asked & _words(entry.as_text)), reverse=True
    )
    left, chosen = settings.limits.knowledge_tokens, set[str]()
    for entry in ranked:
        cost = tokens(entry.id + entry.as_text)
        if cost <= left:
            left -= cost
            chosen.add(entry.id)
    return [entry for entry in settings.knowledge if entry.id in chosen]


def _words(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[^\W_]{4,}", text.casefold())}
