"""Environment variables to frozen Settings; a wrong deployment fails at the cold start and says why.

Only two other modules read the environment: `app` the names that Chalice needs at import, and
`wiring`, which passes it on and reads the trace header that Lambda puts there.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from chalicelib import support_settings
from chalicelib.errors import SettingsError
from chalicelib.once.lanes import TICKETS, Lane
from chalicelib.once.ports import Tightening, parsed_flag
from chalicelib.support_settings import SupportSettings

GUARDRAIL = (
    r"(?:[a-z0-9]+|arn:aws[\w-]*:bedrock:[a-z0-9-]+:\d{12}:guardrail/[a-z0-9]+)"
    r":(?:[1-9]\d{0,7}|DRAFT)"
)
"""The form of a Bedrock guardrail's id and version, as ``a1b2c3d4e5f6:3``; the id may be its ARN."""
SYSTEMS = ("support", "outreach", "facts")
"""The names of the systems that a stage may have."""
REPORTS = ("powerbi", "onelake", "archive")
"""The names of the reports to which facts may be posted; facts always go to the archive."""


class Settings(BaseModel):
    """The settings of a deployment; every resource name has a default derived from the stage."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True, defer_build=True)

    stage: str = Field(pattern=r"^[a-z][a-z0-9-]{0,15}$")
    release: str = "unreleased"
    systems: frozenset[str] = frozenset(SYSTEMS)
    idempotency_table: str
    state_table: str
    audit_table: str
    queue_name: str
    later_queue_name: str
    ingress_ledger: bool = False
    richpanel_base_url: str = Field(pattern=r"^https?://")
    richpanel_requests_per_30_s: float = Field(default=30, gt=0, le=50)
    richpanel_tag_mode: Literal["name", "id"] = "name"
    webhook_secret_id: str
    richpanel_api_key_secret_id: str
    conversations_table: str
    company_data_table: str
    console_sessions_table: str
    public_base_url: str = Field(pattern=r"^https?://[^_/]+")
    twilio_base_url: str = Field(pattern=r"^https?://")
    openai_base_url: str = Field(pattern=r"^https?://")
    openai_model: str = ""
    openai_fallback_model: str = ""
    bedrock_model: str = ""
    bedrock_fallback_model: str = ""
    bedrock_guardrail: str = Field(default="", pattern=rf"^(?:{GUARDRAIL})?$")
    model_prices: str = ""
    ses_configuration_set: str = ""
    router_keys_secret_id: str
    twilio_webhook_secret_id: str
    company_webhooks_on_loopback: bool = False
    max_event_age_days: int = Field(default=7, ge=1, le=29)
    ledger_retention_days: int = Field(default=30, ge=30, le=365)
    state_retention_days: int = Field(default=90, ge=30, le=3650)
    audit_retention_days: int = Field(default=60, ge=30, le=3650)
    journal_retention_days: int = Field(default=365, ge=30, le=3650)
    conversations_retention_days: int = Field(default=365, ge=31, le=3650)
    max_receive_count: int = Field(default=10, ge=1)
    worker_concurrency: int = Field(default=2, ge=2)
    lane_concurrency: int = Field(default=2, ge=2)
    tighten: Tightening = Tightening()
    support: SupportSettings = SupportSettings()
    facts_table: str
    facts_ttl_days: int = Field(default=14, ge=1, le=365)
    facts_endpoint: str = Field(default="", pattern=r"^(https?://.*)?$")
    facts_region: str = ""
    facts_timezone: str = "UTC"
    facts_roster: str = ""
    facts_report: frozenset[str] = frozenset({"powerbi"})
    facts_bucket: str = ""
    facts_folder: str = ""
    facts_shifts: str = ""
    aloware_secret_id: str
    aloware_api_secret_id: str
    aloware_ring_group_url: str = Field(default="", pattern=r"^(https?://.*)?$")
    hubspot_secret_id: str
    hubspot_webhook_url: str = Field(default="", pattern=r"^(https?://.*)?$")
    hubspot_fact_rules: str = ""
    hubspot_base_url: str = Field(default="https://api.hubapi.com", pattern=r"^https?://")
    hubspot_directory: bool = False
    hubspot_api_secret_id: str
    powerbi_base_url: str = Field(default="https://api.powerbi.com", pattern=r"^https?://")
    powerbi_token_url: str = Field(default="", pattern=r"^(https?://.*)?$")
    powerbi_tenant_id: str = ""
    powerbi_client_id: str = ""
    powerbi_workspace_id: str = ""
    powerbi_dataset_id: str = ""
    powerbi_secret_id: str
    powerbi_sequence_numbers: bool = False
    fabric_base_url: str = Field(
        default="https://onelake.dfs.fabric.microsoft.com", pattern=r"^https?://"
    )
    fabric_token_url: str = Field(default="", pattern=r"^(https?://.*)?$")
    fabric_tenant_id: str = ""
    fabric_client_id: str = ""
    fabric_workspace_id: str = ""
    fabric_database_id: str = ""
    fabric_secret_id: str

    @field_validator("systems", "facts_report", mode="before")
    @classmethod
    def _listed_names(cls, value: object, field: ValidationInfo) -> object:
        """Check names separated by commas; a name that is not among the known ones is a typing error."""
        if not isinstance(value, str):
            return value
        known = SYSTEMS if field.field_name == "systems" else REPORTS
        names = frozenset(name.strip() for name in value.split(","))
        if names - set(known):
            raise ValueError(f"known are {', '.join(known)}")
        return names

    @model_validator(mode="after")
    def _one_stage(self) -> Settings:
        """Check that resource names belong to this stage: a prod queue with a dev table would mix two."""
        scoped = {
            "IDEMPOTENCY_TABLE_NAME": self.idempotency_table.endswith(f"-{self.stage}"),
            "CONVERSATION_STATE_TABLE_NAME": self.state_table.endswith(f"-{self.stage}"),
            "AUDIT_TRAIL_TABLE_NAME": self.audit_table.endswith(f"-{self.stage}"),
            "CONVERSATIONS_TABLE_NAME": self.conversations_table.endswith(f"-{self.stage}"),
            "COMPANY_DATA_TABLE_NAME": self.company_data_table.endswith(f"-{self.stage}"),
            "CONSOLE_SESSIONS_TABLE_NAME": self.console_sessions_table.endswith(f"-{self.stage}"),
            "QUEUE_NAME": self.queue_name.endswith(f"-{self.stage}.fifo"),
            "LATER_QUEUE_NAME": self.later_queue_name.endswith(f"-{self.stage}"),
        }
        wrong = [name for name, fits in scoped.items() if not fits]
        if wrong:
            raise ValueError(f"{', '.join(wrong)} not of stage {self.stage}")
        return self

    def queue_of(self, lane: Lane) -> str:
        """The name of a lane's queue in this stage."""
        return self.queue_name if lane == TICKETS else lane.queue(self.stage)

    @property
    def powerbi_token_endpoint(self) -> str:
        """The URL at which Power BI's access token is fetched."""
        return self.powerbi_token_url or _entra(self.powerbi_tenant_id)

    @property
    def onelake_token_url(self) -> str:
        """The URL at which OneLake's access token is fetched."""
        return self.fabric_token_url or _entra(self.fabric_tenant_id)

    @property
    def has_mirrored_database(self) -> bool:
        """Whether the settings name a mirrored database in Fabric."""
        return bool(self.fabric_workspace_id and self.fabric_database_id)

    @property
    def max_event_age(self) -> timedelta:
        """The age beyond which messages are skipped; always less than the ledger keeps its rows."""
        return timedelta(days=self.max_event_age_days)

    @property
    def switch_prefix(self) -> str:
        """The beginning of the names of the stage's switches in SSM, such as ``/rp-mw/dev``."""
        return f"/rp-mw/{self.stage}"


def _entra(tenant: str) -> str:
    return f"https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token"


def load(environ: Mapping[str, str]) -> Settings:
    """Read the settings from environment variables.

    Raises:
        SettingsError: names every variable that is missing or wrong, and no value.
    """
    stage = environ.get("STAGE", "")
    if not stage:
        raise SettingsError("environment variable STAGE is missing")
    values: dict[str, object] = {
        "stage": stage,
        "tighten": _tightening(environ),
        "support": support_settings.load(environ, stage),
    }
    for field, (variable, default) in _VARIABLES.items():
        text = environ.get(variable, default.format(stage=stage))
        if text:
            values[field] = text
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        problems = {_problem(e["loc"], e["msg"]) for e in error.errors()}
        raise SettingsError(f"wrong environment: {'; '.join(sorted(problems))}") from None


def _problem(location: tuple[int | str, ...], message: str) -> str:
    field = str(location[0]) if location else ""
    variable = "STAGE" if field == "stage" else _VARIABLES.get(field, ("", ""))[0]
    return support_settings.problem(variable, message)


_VARIABLES: dict[str, tuple[str, str]] = {
    "release": ("RELEASE", "unreleased"),
    "systems": ("SYSTEMS", ",".join(SYSTEMS)),
    "idempotency_table": ("IDEMPOTENCY_TABLE_NAME", "rp_mw_idempotency-{stage}"),
    "state_table": ("CONVERSATION_STATE_TABLE_NAME", "rp_mw_conversation_state-{stage}"),
    "audit_table": ("AUDIT_TRAIL_TABLE_NAME", "rp_mw_audit_actions-{stage}"),
    "queue_name": ("QUEUE_NAME", "rp-mw-events-{stage}.fifo"),
    "later_queue_name": ("LATER_QUEUE_NAME", "rp-mw-later-{stage}"),
    "ingress_ledger": ("INGRESS_LEDGER", "false"),
    "richpanel_base_url": ("RICHPANEL_BASE_URL", "https://api.richpanel.com"),
    "richpanel_requests_per_30_s": ("RICHPANEL_REQUESTS_PER_30_S", "30"),
    "richpanel_tag_mode": ("RICHPANEL_TAG_MODE", "name"),
    "webhook_secret_id": ("WEBHOOK_SECRET_ID", "rp-mw/{stage}/richpanel/webhook_token"),
    "richpanel_api_key_secret_id": (
        "RICHPANEL_API_KEY_SECRET_ID",
        "rp-mw/{stage}/richpanel/api_key",
    ),
    "conversations_table": ("CONVERSATIONS_TABLE_NAME", "conversations-{stage}"),
    "company_data_table": ("COMPANY_DATA_TABLE_NAME", "company-data-{stage}"),
    "console_sessions_table": ("CONSOLE_SESSIONS_TABLE_NAME", "rp_mw_console_sessions-{stage}"),
    "public_base_url": ("PUBLIC_BASE_URL", "https://public-base-url.invalid"),
    "twilio_base_url": ("TWILIO_BASE_URL", "https://api.twilio.com"),
    "openai_base_url": ("OPENAI_BASE_URL", "https://api.openai.com"),
    "openai_model": ("OPENAI_MODEL", ""),
    "openai_fallback_model": ("OPENAI_FALLBACK_MODEL", ""),
    "bedrock_model": ("BEDROCK_MODEL", ""),
    "bedrock_fallback_model": ("BEDROCK_FALLBACK_MODEL", ""),
    "bedrock_guardrail": ("BEDROCK_GUARDRAIL", ""),
    "model_prices": ("MODEL_PRICES", ""),
    "ses_configuration_set": ("SES_CONFIGURATION_SET", "rp-mw-{stage}"),
    "router_keys_secret_id": ("ROUTER_KEYS_SECRET_ID", "rp-mw/{stage}/router/api_keys"),
    "twilio_webhook_secret_id": (
        "TWILIO_WEBHOOK_SECRET_ID",
        "rp-mw/{stage}/twilio/webhook_tokens",
    ),
    "company_webhooks_on_loopback": ("COMPANY_WEBHOOKS_ON_LOOPBACK", "false"),
    "max_event_age_days": ("MAX_EVENT_AGE_DAYS", "7"),
    "ledger_retention_days": ("LEDGER_RETENTION_DAYS", "30"),
    "state_retention_days": ("STATE_RETENTION_DAYS", "90"),
    "audit_retention_days": ("AUDIT_RETENTION_DAYS", "60"),
    "journal_retention_days": ("JOURNAL_RETENTION_DAYS", "365"),
    "conversations_retention_days": ("CONVERSATIONS_RETENTION_DAYS", "365"),
    "max_receive_count": ("MAX_RECEIVE_COUNT", "10"),
    "worker_concurrency": ("WORKER_CONCURRENCY", "2"),
    "lane_concurrency": ("LANE_CONCURRENCY", "2"),
    "facts_table": ("DYNAMO_TABLE_NAME", "QuillIdempotencyLedger-{stage}"),
    "facts_ttl_days": ("DYNAMO_TTL_DAYS", "14"),
    "facts_endpoint": ("DYNAMO_ENDPOINT", ""),
    "facts_region": ("DYNAMO_REGION", ""),
    "facts_timezone": ("FACTS_TIMEZONE", "UTC"),
    "facts_roster": ("FACTS_ROSTER", ""),
    "facts_report": ("FACTS_REPORT", "powerbi"),
    "facts_bucket": ("FACTS_BUCKET", ""),
    "facts_folder": ("FACTS_FOLDER", ""),
    "facts_shifts": ("FACTS_SHIFTS", ""),
    "aloware_secret_id": ("ALOWARE_WEBHOOK_SECRET_ID", "rp-mw/{stage}/aloware/webhook_token"),
    "aloware_api_secret_id": ("ALOWARE_API_SECRET_ID", "rp-mw/{stage}/aloware/api_token"),
    "aloware_ring_group_url": ("ALOWARE_RING_GROUP_URL", ""),
    "hubspot_secret_id": ("HUBSPOT_SECRET_ID", "rp-mw/{stage}/hubspot/client_secret"),
    "hubspot_webhook_url": ("HUBSPOT_WEBHOOK_URL", ""),
    "hubspot_fact_rules": ("HUBSPOT_FACT_RULES", ""),
    "hubspot_base_url": ("HUBSPOT_BASE_URL", "https://api.hubapi.com"),
    "hubspot_directory": ("HUBSPOT_DIRECTORY", "false"),
    "hubspot_api_secret_id": ("HUBSPOT_API_SECRET_ID", "rp-mw/{stage}/hubspot/api_token"),
    "powerbi_base_url": ("POWERBI_BASE_URL", "https://api.powerbi.com"),
    "powerbi_token_url": ("POWERBI_TOKEN_URL", ""),
    "powerbi_tenant_id": ("POWERBI_TENANT_ID", ""),
    "powerbi_client_id": ("POWERBI_CLIENT_ID", ""),
    "powerbi_workspace_id": ("POWERBI_WORKSPACE_ID", ""),
    "powerbi_dataset_id": ("POWERBI_DATASET_ID", ""),
    "powerbi_secret_id": ("POWERBI_SECRET_ID", "rp-mw/{stage}/powerbi/client_secret"),
    "powerbi_sequence_numbers": ("POWERBI_SEQUENCE_NUMBERS", "false"),
    "fabric_base_url": ("FABRIC_BASE_URL", "https://onelake.dfs.fabric.microsoft.com"),
    "fabric_token_url": ("FABRIC_TOKEN_URL", ""),
    "fabric_tenant_id": ("FABRIC_TENANT_ID", ""),
    "fabric_client_id": ("FABRIC_CLIENT_ID", ""),
    "fabric_workspace_id": ("FABRIC_WORKSPACE_ID", ""),
    "fabric_database_id": ("FABRIC_DATABASE_ID", ""),
    "fabric_secret_id": ("FABRIC_SECRET_ID", "rp-mw/{stage}/fabric/client_secret"),
}


def _tightening(environ: Mapping[str, str]) -> Tightening:
    """Which switches environment variables force to their stricter value.

    Raises:
        SettingsError: a variable is not a boolean.
    """
    flags: dict[str, bool | None] = {}
    for name in ("KILL_SWITCH", "SAFE_MODE", "SHADOW_MODE", "AUTOMATION_ENABLED"):
        text = environ.get(name, "")
        flags[name] = parsed_flag(text) if text else None
        if text and flags[name] is None:
            raise SettingsError(f"environment variable {name} is not a boolean")
    return Tightening(
        kill_switch=flags["KILL_SWITCH"] is True,
        safe_mode=flags["SAFE_MODE"] is True,
        shadow_mode=flags["SHADOW_MODE"] is True,
        automation_off=flags["AUTOMATION_ENABLED"] is False,
    )


def variable_names() -> frozenset[str]:
    """The names of the environment variables that a deployment may set, without those of the switches."""
    own = {variable for variable, _ in _VARIABLES.values()}
    support = {variable for variable, _ in support_settings.VARIABLES.values()}
    return frozenset(
        {*own, *support, "STAGE", "MAIL_TOPIC", "LANE_CONCURRENCY", "SENDER_IDENTITIES"}
    )
