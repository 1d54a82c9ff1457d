"""Settings of automatic replies: off, and with an empty allow-list, unless a deployment sets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from chalicelib.errors import SettingsError


def _listed(value: object) -> object:
    if not isinstance(value, str):
        return value
    return frozenset(item.strip().lower() for item in value.split(",") if item.strip())


_Words = Annotated[frozenset[str], BeforeValidator(_listed)]


class SupportSettings(BaseModel):
    """The settings of automatic replies, the shop lookup and the language model."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True, defer_build=True)

    outbound_enabled: bool = False
    bot_agent_id: str = ""
    allow_emails: _Words = Field(default=frozenset(), repr=False)
    allow_domains: _Words = frozenset()
    require_allow_list: bool = True
    close_after_reply: bool = False
    templates: _Words = frozenset()
    signature: str = "Customer Support"
    shopify_base_url: str = Field(default="", pattern=r"^(https?://.+)?$")
    shopify_api_version: str = Field(default="2026-10", pattern=r"^\d{4}-\d{2}$")
    shopify_order_prefix: str = "#"
    shopify_client_id_secret_id: str = ""
    shopify_client_secret_secret_id: str = ""
    openai_intent_enabled: bool = False
    openai_base_url: str = Field(default="https://api.openai.com", pattern=r"^https?://")
    openai_model: str = ""
    openai_fallback_model: str = ""
    openai_api_key_secret_id: str = ""

    @model_validator(mode="after")
    def _model_is_named(self) -> SupportSettings:
        if self.openai_intent_enabled and not self.openai_model:
            raise ValueError("OPENAI_INTENT_ENABLED needs OPENAI_MODEL")
        return self


def load(environ: Mapping[str, str], stage: str) -> SupportSettings:
    """Read the settings of automatic replies from environment variables.

    Raises:
        SettingsError: names every invalid variable, without its value.
    """
    values = {
        field: environ.get(variable, default.format(stage=stage))
        for field, (variable, default) in VARIABLES.items()
    }
    try:
        return SupportSettings.model_validate({k: v for k, v in values.items() if v})
    except ValidationError as error:
        problems = [
            problem(VARIABLES[str(fault["loc"][0])][0] if fault["loc"] else "", fault["msg"])
            for fault in error.errors()
        ]
    raise SettingsError(f"wrong environment: {'; '.join(sorted(problems))}")


def problem(variable: str, message: str) -> str:
    """One line of an error message: the wrong environment variable and what its value may be.

    If the variable is empty, only what was wrong.
    """
    said = message.removeprefix("Value error, ").removeprefix("Input ").removeprefix("String ")
    return f"{variable}: {said}" if variable else said


VARIABLES: Mapping[str, tuple[str, str]] = {
    "outbound_enabled": ("RICHPANEL_OUTBOUND_ENABLED", "false"),
    "bot_agent_id": ("RICHPANEL_BOT_AGENT_ID", ""),
    "allow_emails": ("MW_OUTBOUND_ALLOWLIST_EMAILS", ""),
    "allow_domains": ("MW_OUTBOUND_ALLOWLIST_DOMAINS", ""),
    "require_allow_list": ("MW_OUTBOUND_REQUIRE_ALLOWLIST", "true"),
    "close_after_reply": ("MW_CLOSE_AFTER_REPLY", "false"),
    "templates": (
        "TEMPLATES_ENABLED",
        (
            "t_order_status_verified,t_shipping_delay_verified,t_order_eta_no_tracking_verified,"
            "t_order_parcels_verified,"
            "t_order_status_ask_order_number"
        ),
    ),
    "signature": ("SUPPORT_SIGNATURE", "Customer Support"),
    "shopify_base_url": ("SHOPIFY_BASE_URL", ""),
    "shopify_api_version": ("SHOPIFY_API_VERSION", "2026-10"),
    "shopify_order_prefix": ("SHOPIFY_ORDER_PREFIX", "#"),
    "shopify_client_id_secret_id": (
        "SHOPIFY_CLIENT_ID_SECRET_ID",
        "rp-mw/{stage}/shopify/client_id",
    ),
    "shopify_client_secret_secret_id": (
        "SHOPIFY_CLIENT_SECRET_SECRET_ID",
        "rp-mw/{stage}/shopify/client_secret",
    ),
    "openai_intent_enabled": ("OPENAI_INTENT_ENABLED", "false"),
    "openai_base_url": ("OPENAI_BASE_URL", "https://api.openai.com"),
    "openai_model": ("OPENAI_MODEL", ""),
    "openai_fallback_model": ("OPENAI_FALLBACK_MODEL", ""),
    "openai_api_key_secret_id": ("OPENAI_API_KEY_SECRET_ID", "rp-mw/{stage}/openai/api_key"),
}
"""For each field: its environment variable and its default."""
