"""The faults of a project's settings, for `company put` and `company check`; places only, never values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, get_args

from pydantic import BaseModel

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.field_names import shown_name
from chalicelib.outreach.project.ai_config import IGNORED_NAMES, AiConfig, OpenAiChannel
from chalicelib.outreach.project.channel_config import ChannelConfig
from chalicelib.outreach.project.project import Project, parts

MOST_BYTES = 400_000
"""Bytes of an item as JSON at most; DynamoDB takes 400 KB."""
_LEVELS = 32
_DIGITS, _LOW, _HIGH = 38, 130, 126
"""DynamoDB's limits: levels of an item, digits and powers of ten of a number
(https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html).
"""


def faults(item: Mapping[str, Any], *, allows_loopback: bool = False) -> list[str]:
    """Why a project's item may not be stored, as lines of text; empty where it may be.

    They are DynamoDB's reasons; without those, the faults of single settings; without those too,
    the first contradiction between settings.

    Args:
        item: the item as stored, or as an operator wrote it.
        allows_loopback: whether an endpoint may be on this machine; true on a local stack only.
    """
    found = list(_storage_faults(item)) or [
        f"{place}: {message}"
        for part in parts().values()
        for place, message in part.faults(item, allows_loopback=allows_loopback)
    ]
    return found or list(_contradictions(Project(item)))[:1]


def unknown_names(item: Mapping[str, Any]) -> list[str]:
    """Paths of a project's settings that nothing reads: they may be misspelt or another system's."""
    found = [shown_name(name) for name in item.keys() - parts().keys()]
    for path, value, model in _open_objects(item):
        names = value.keys() - model.model_fields.keys() if isinstance(value, Mapping) else ()
        found += [
            f"{path}.{shown_name(unknown)}"
            for unknown in names
            if not IGNORED_NAMES.fullmatch(str(unknown))
        ]
    return sorted(found)


def secrets_of(project: Project) -> dict[str, list[Channel]]:
    """The names of the secrets that a valid project needs, each with its channels; an AI key has none."""
    found: dict[str, list[Channel]] = {}
    for channel in project.allowed_channels:
        secret = project.secret_name(channel)
        if secret:
            found.setdefault(secret, []).append(channel)
    for config in project.ai_config.openai_config.values():
        if config.api_key_reference:
            found.setdefault(config.api_key_reference, [])
    return found


def _storage_faults(item: Mapping[str, Any]) -> Iterator[str]:
    """The reasons why DynamoDB would refuse an item: size, depth, numbers, empty names."""
    written = json.dumps(item, ensure_ascii=False, default=str)
    if len(written.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        yield f"the item has more than {MOST_BYTES} bytes"
        return
    level: list[Any] = [item]
    for _ in range(_LEVELS):
        if any(isinstance(value, Mapping) and "" in value for value in level):
            yield "an attribute has no name"
        if not all(map(_is_exact, level)):
            yield "a number is infinite, too large or small, or has more than 38 digits"
        level = [inner for value in level for inner in _members(value)]
        if not level:
            return
    yield f"the item is nested more than {_LEVELS} levels deep"


def _members(value: Any) -> Iterable[Any]:  # noqa: ANN401 - any JSON value
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def _is_exact(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Whether DynamoDB stores a value unchanged; true for anything but a number.

    A number has at most 38 digits and lies between 1E-130 and 1E+126.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return True
    exact = Decimal(str(value))
    digits = "".join(map(str, exact.as_tuple().digits)).strip("0")
    return exact.is_finite() and len(digits) <= _DIGITS and -_LOW <= exact.adjusted() < _HIGH


def _open_objects(item: Mapping[str, Any]) -> Iterator[tuple[str, Any, type[BaseModel]]]:
    """Each object of a project's settings that allows unknown attributes: path, value, and model."""
    senders, ai = item.get("channel_config"), item.get("ai_config")
    yield "channel_config", senders, ChannelConfig
    for channel, field in ChannelConfig.model_fields.items():
        model, _ = get_args(field.annotation)
        yield f"channel_config.{channel}", _field(senders, channel), model
    yield "ai_config", ai, AiConfig
    of_openai = _field(ai, "openai_config")
    for channel, settings in of_openai.items() if isinstance(of_openai, Mapping) else ():
        yield f"ai_config.openai_config.{shown_name(channel)}", settings, OpenAiChannel


def _field(value: Any, name: str) -> Any:  # noqa: ANN401 - any JSON value
    return value.get(name) if isinstance(value, Mapping) else None


def _contradictions(project: Project) -> Iterator[str]:
    """Contradictions between valid settings of a project, such as an allowed channel without a sender."""
    allowed = project.allowed_channels
    missing = [channel.value for channel in allowed if not project.channel_settings(channel)]
    if missing:
        yield f"allowed, but not in channel_config: {', '.join(missing)}"
    if project.handoff_notice is not None and not project.sender(Channel.EMAIL):
        yield "handoff_notice needs channel_config.email, whose address sends it"
    declared = project.follow_ups
    if declared is None:
        return
    missing = [channel.value for channel in declared.fallback if channel not in allowed]
    if missing:
        yield f"follow_ups.fallback is not allowed: {', '.join(missing)}"
    has_text = declared.reminder is not None or declared.end is not None
    for channel in allowed if has_text else ():
        of, given = channel.traits, project.channel_settings(channel)
        if of.free_text_window is not None and given and not given.get("reopening_template_sid"):
            yield (
                f"follow_ups on {of.title} need channel_config.{channel}.reopening_template_sid:"
                " without an answer it takes templates only"
            )
