"""Which provider's language model writes for a project, if one does.

A project chooses by ``ai_config.provider``: ``openai``, with the key that its channel names, or
``bedrock``, with the account's own rights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.item import BEDROCK
from chalicelib.outreach.project.project import Project


@dataclass(frozen=True, slots=True)
class Named:
    """The models of a stage with one provider; the first is empty where the stage has none."""

    model: str
    fallback: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Providers:
    """The stage's models by provider, and which provider writes for a conversation.

    Attributes:
        current: a project's settings as they are now.
    """

    current: Callable[[Record], Project]
    openai: Named
    bedrock: Named

    def writes_for(self, record: Record) -> bool:
        """Whether a model writes for a conversation; else fixed wordings are sent.

        Raises:
            PermanentError: the project's `ai_config`, which may name a key, cannot be read.
        """
        _ = self.current(record).ai_config
        if self.of(record) == BEDROCK:
            return bool(self.bedrock.model)
        return bool(self.openai.model and record.ai_config.get("api_key_reference"))

    def of(self, record: Record) -> str:
        """Whose model writes; see `Project.provider`."""
        return self.current(record).provider

    def named(self, record: Record) -> Named:
        """The stage's models of a conversation's provider."""
        return self.bedrock if self.of(record) == BEDROCK else self.openai
