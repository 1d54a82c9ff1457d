"""Builds the language model's classification of messages, if the settings name a model."""

from __future__ import annotations

from functools import cached_property, partial

from chalicelib.redaction.model_view import model_view
from chalicelib.shared import Shared
from chalicelib.support.opinion import ModelNames, Opinions
from chalicelib.vendors import openai

OPENAI_REQUESTS_PER_30_S = 150


class SupportModel:
    """Builds the language model that classifies customers' messages; building connects nothing yet."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    @cached_property
    def opinions(self) -> Opinions:
        """The object that asks the language model for its classification of messages."""
        shared, settings = self._shared, self._shared.settings.support
        secret_id = settings.openai_api_key_secret_id
        client = shared.vendor(
            openai.PROVIDER,
            settings.openai_base_url,
            openai.bearer(lambda refresh: shared.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=OPENAI_REQUESTS_PER_30_S,
            error_code_at=openai.ERROR_CODE_AT,
        )
        names = ModelNames(settings.openai_model, settings.openai_fallback_model or None)
        shown = partial(model_view, keep_order_numbers=False)
        return Opinions(openai.OpenAI(client=client, clock=shared.clock), names, shown)
