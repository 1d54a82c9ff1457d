"""Which provider's language model writes for a project, if any does.

A project chooses by ``ai_config.provider``: ``openai``, with the company's own key, or ``bedrock``, with the
IAM role of our account.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.item import BEDROCK
from chalicelib.outreach.project.project import Project


@dataclass(frozen=True, slots=True)
class ModelPair:
    """The names of the models that a stage uses at one provider; `model` is empty where it uses none."""

    model: str
    fallback: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Providers:
    """The stage's models at each provider, and which provider writes for a conversation.

    Attributes:
        current: returns the current project of a conversation.
    """

    current: Callable[[Record], Project]
    openai: ModelPair
    bedrock: ModelPair

    def writes_for(self, record: Record) -> bool:
        """Whether a language model writes for a conversation; otherwise fixed texts are sent.

        Raises:
            PermanentError: the project's `ai_config` cannot be read: it may hold the reference to
                the
                company's own API key, and without that no model may write.
        """
        _ = self.current(record).ai_config
        if self.provider_of(record) == BEDROCK:
            return bool(self.bedrock.model)
        return bool(self.openai.model and record.ai_config.get("api_key_reference"))

    def provider_of(self, record: Record) -> str:
        """The name of the provider whose model writes for a conversation: ``openai`` or ``bedrock``."""
        return self.current(record).provider

    def model_names(self, record: Record) -> ModelPair:
        """The names of the stage's models at the provider of a conversation."""
        return self.bedrock if self.provider_of(record) == BEDROCK else self.openai
