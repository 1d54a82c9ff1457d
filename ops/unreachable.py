"""Explains to the operator in one line why a stage or a vendor cannot be reached, and what may help."""

from __future__ import annotations

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConfigNotFound,
    ConfigParseError,
    ConnectionClosedError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    InvalidConfigError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
    ReadTimeoutError,
    SSOError,
)

from chalicelib.errors import MiddlewareError, ProviderError, UnavailableError
from ops.session import AbsentError

NOT_LOGGED_IN = (NoRegionError, NoCredentialsError)
"""With these errors no AWS call works; any other error concerns one call."""

_MISSET = (ConfigNotFound, ConfigParseError, CredentialRetrievalError, InvalidConfigError, SSOError)
"""Errors of AWS's configuration files, or of the log-in that they name."""

ABSENT = frozenset(
    {
        "ResourceNotFoundException",
        "ParameterNotFound",
        "QueueDoesNotExist",
        "AWS.SimpleQueueService.NonExistentQueue",
    }
)
"""AWS's error codes for missing resources: often a wrong account or region."""
REFUSED = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})
"""AWS's error codes for calls that the caller's policies do not allow."""
_EXPIRED = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "UnrecognizedClientException"}
)

_SLOW = frozenset({"ReadTimeoutError", "ConnectTimeoutError"})
_LOG_IN = "set AWS_PROFILE, or log in"
_AWAY = frozenset({"EndpointConnectionError", "ConnectionClosedError"})
_AWAY_ADVICE = "is the network up, or for `make run`: does it run, and is AWS_ENDPOINT_URL its own?"

AWS = frozenset({"aws", "dynamodb", "sqs"})
"""Providers that are AWS services of the stage, not vendors."""

VENDORS = {
    "richpanel": ("Richpanel", "RICHPANEL_BASE_URL", "richpanel/api_key"),
    "shopify": ("Shopify", "SHOPIFY_BASE_URL", "shopify/client_secret"),
    "openai": ("OpenAI", "OPENAI_BASE_URL", "openai/api_key"),
    "twilio": ("Twilio", "TWILIO_BASE_URL", "twilio/<company>"),
    "ses": ("Amazon SES", "SES_CONFIGURATION_SET", ""),
    "hubspot": ("HubSpot", "HUBSPOT_BASE_URL", "hubspot/api_token"),
    "aloware": ("Aloware", "ALOWARE_RING_GROUP_URL", "aloware/api_token"),
    "powerbi": ("Power BI", "POWERBI_BASE_URL", "powerbi/client_secret"),
    "onelake": ("OneLake", "FABRIC_BASE_URL", "fabric/client_secret"),
}
"""A vendor's name, the variable of its address, and the secret that its calls use."""


def why(error: MiddlewareError | ClientError | BotoCoreError, *, place: str = "") -> str:
    """Describe the error in one line.

    Args:
        error: what a command ended with.
        place: the account and region that the command used, if known.
    """
    match error:
        case ClientError():
            code = error.response.get("Error", {}).get("Code", "unknown")
            return _of_aws(error.operation_name, code, place)
        case BotoCoreError():
            return _of_connection(error)
        case ProviderError() if error.provider in AWS:
            return _of_aws(f"{error.provider}.{error.operation}", error.reason, place)
        case ProviderError():
            return _of_vendor(error)
        case UnavailableError():
            reason = error.code
        case _:
            reason = type(error).__name__
    return f"the stage cannot be reached: {reason}"


def is_slow(error: Exception) -> bool:
    """Whether AWS did not answer in time, so that a repetition may succeed."""
    reason = error.reason if isinstance(error, ProviderError) else type(error).__name__
    return reason in _SLOW


def absent(error: Exception) -> str:
    """The missing resource that an error reports, as text; empty for any other error."""
    match error:
        case AbsentError():
            return str(error)
        case ClientError():
            code = error.response.get("Error", {}).get("Code", "unknown")
            operation = error.operation_name
        case ProviderError() if error.provider in AWS:
            code, operation = error.reason, f"{error.provider}.{error.operation}"
        case _:
            return ""
    return f"{operation} found nothing ({code})" if code in ABSENT else ""


def title(vendor: str) -> str:
    """A vendor's name, as a person writes it."""
    return VENDORS.get(vendor, (vendor,))[0]


def _of_aws(operation: str, code: str, place: str) -> str:
    where = f" in {place}" if place else ""
    if code in _SLOW:
        return f"AWS{where} has not answered {operation} in time; try again"
    if code in _AWAY:
        return f"AWS{where} does not answer {operation}; {_AWAY_ADVICE}"
    if code in ABSENT:
        return (
            f"the stage is not{where or ' there'}: {operation} found nothing ({code}); "
            "is this the right account and region? Set AWS_PROFILE or AWS_DEFAULT_REGION"
        )
    if code in _EXPIRED:
        return f"AWS does not accept the credentials ({code}); log in, or set AWS_PROFILE"
    if code in REFUSED:
        return f"AWS refused {operation}{where}: {code}; the caller's policy lacks it"
    return f"AWS refused {operation}{where}: {code}"


def _of_vendor(error: ProviderError) -> str:
    """Name the vendor, the failed operation, and the setting that is likely wrong."""
    name, address, secret = VENDORS.get(error.provider, (error.provider, "", ""))
    said = f"{name} failed at {error.operation.replace('_', ' ')}: {error.reason}"
    if error.reason == "secret_unavailable" or error.status in (401, 403):
        return f"{said}; check the secret rp-mw/<stage>/{secret}" if secret else said
    if error.status is None and address:
        return f"{said}; check {address}, and whether {name} is up"
    return said


def _of_connection(error: BotoCoreError) -> str:
    at = f" at {error.kwargs['endpoint_url']}" if "endpoint_url" in error.kwargs else ""
    match error:
        case NoRegionError():
            return (
                "no region is named: set AWS_PROFILE or AWS_DEFAULT_REGION, or for `make run`:"
                " set -a; . .run/env"
            )
        case PartialCredentialsError():
            lacking = error.kwargs.get("cred_var")
            return f"only a part of AWS's credentials is there, without {lacking}: {_LOG_IN}"
        case NoCredentialsError():
            return f"there are no credentials of AWS: {_LOG_IN}"
        case ReadTimeoutError() | ConnectTimeoutError():
            return f"AWS{at} has not answered in time; try again"
        case EndpointConnectionError() | ConnectionClosedError():
            return f"AWS cannot be reached{at}: it does not answer; {_AWAY_ADVICE}"
        case ProfileNotFound():
            return (
                f"AWS cannot be reached: no profile {error.kwargs.get('profile')}; set AWS_PROFILE"
            )
        case _:
            advice = f"; look at ~/.aws/config, or {_LOG_IN}" if isinstance(error, _MISSET) else ""
            return f"AWS cannot be reached: {type(error).__name__}{advice}"
