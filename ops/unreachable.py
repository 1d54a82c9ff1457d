"""Why a stage cannot be reached, in one line for the operator, with the setting that would help."""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError

from chalicelib.errors import MiddlewareError, ProviderError, UnavailableError

NOT_LOGGED_IN = (NoRegionError, NoCredentialsError)
"""With these errors no AWS call works at all; any other error concerns one call only."""


def why(error: MiddlewareError | ClientError | BotoCoreError) -> str:
    """Describe the error in one line."""
    match error:
        case ClientError():
            code = error.response.get("Error", {}).get("Code", "unknown")
            return f"AWS refused {error.operation_name}: {code}"
        case BotoCoreError():
            return f"AWS cannot be reached: {type(error).__name__}{_advice(error)}"
        case ProviderError():
            reason = f"{error.provider}.{error.operation} {error.reason}"
        case UnavailableError():
            reason = error.code
        case _:
            reason = type(error).__name__
    return f"the stage cannot be reached: {reason}"


def _advice(error: BotoCoreError) -> str:
    match error:
        case NoRegionError():
            return "; set AWS_PROFILE or AWS_DEFAULT_REGION, or for `make run`: set -a; . .run/env"
        case NoCredentialsError():
            return "; set AWS_PROFILE, or log in"
        case _:
            return ""
