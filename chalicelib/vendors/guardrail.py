"""A guardrail of Amazon Bedrock that judges texts apart from any generation; pure.

A stage names it as ``<id>:<version>``, e.g. ``a1b2c3d4e5f6:3``; the id may be its ARN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from chalicelib.vendors.lenient import LENIENT, as_object, as_objects

INTERVENED = "GUARDRAIL_INTERVENED"
_UNNAMED = "guardrail"
"""The category of an intervention for which the response names no policy."""


@dataclass(frozen=True, slots=True)
class Guardrail:
    """One version of an Amazon Bedrock guardrail, which judges texts."""

    identifier: str
    version: str

    @classmethod
    def parsed(cls, text: str) -> Guardrail | None:
        """The guardrail in a setting such as ``a1b2c3d4e5f6:3``; None for an empty text."""
        identifier, _, version = text.rpartition(":")
        return cls(identifier, version) if text else None

    def request(self, text: str) -> dict[str, Any]:
        """The parameters of ``ApplyGuardrail`` for a text that a model wrote."""
        return {
            "guardrailIdentifier": self.identifier,
            "guardrailVersion": self.version,
            "source": "OUTPUT",
            "content": [{"text": {"text": text}}],
        }


class _Found(BaseModel):
    """One finding of a guardrail's policy: its type or, of a topic, its name, and the action.

    The action ``NONE`` means that the text is not blocked for it.
    """

    model_config = LENIENT

    type: str = ""
    name: str = ""
    action: str = "NONE"


_Finds = Annotated[list[_Found], BeforeValidator(as_objects)]


class _Content(BaseModel):
    model_config = LENIENT

    filters: _Finds = []


class _Topics(BaseModel):
    model_config = LENIENT

    topics: _Finds = []


class _Words(BaseModel):
    model_config = LENIENT

    customWords: _Finds = []  # noqa: N815 - the vendor's name
    managedWordLists: _Finds = []  # noqa: N815


class _Personal(BaseModel):
    model_config = LENIENT

    piiEntities: _Finds = []  # noqa: N815
    regexes: _Finds = []


class _Assessment(BaseModel):
    model_config = LENIENT

    contentPolicy: Annotated[_Content, BeforeValidator(as_object)] = _Content()  # noqa: N815
    topicPolicy: Annotated[_Topics, BeforeValidator(as_object)] = _Topics()  # noqa: N815
    wordPolicy: Annotated[_Words, BeforeValidator(as_object)] = _Words()  # noqa: N815
    sensitiveInformationPolicy: Annotated[_Personal, BeforeValidator(as_object)] = (  # noqa: N815
        _Personal()
    )

    @property
    def names(self) -> Iterator[str]:
        """The categories of a guardrail's policies that intervened."""
        yield from (
            filter_.type.lower()
            for filter_ in self.contentPolicy.filters
            if _names_of_acting(filter_)
        )
        if any(map(_names_of_acting, self.topicPolicy.topics)):
            yield "topic"
        if any(
            map(_names_of_acting, [*self.wordPolicy.customWords, *self.wordPolicy.managedWordLists])
        ):
            yield "word"
        personal = self.sensitiveInformationPolicy
        if any(map(_names_of_acting, [*personal.piiEntities, *personal.regexes])):
            yield "personal"


def _names_of_acting(found: _Found) -> bool:
    return found.action != "NONE"


class GuardrailResponse(BaseModel):
    """The response of ``ApplyGuardrail``, as far as it is read; it holds none of the text."""

    model_config = LENIENT

    action: str
    assessments: Annotated[list[_Assessment], BeforeValidator(as_objects)] = []

    @property
    def flagged(self) -> Sequence[str]:
        """The categories in which the guardrail intervened; none where it did not."""
        if self.action != INTERVENED:
            return ()
        names = {name for assessment in self.assessments for name in assessment.names}
        return sorted(names) or [_UNNAMED]
