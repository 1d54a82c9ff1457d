"""Named secrets, cached; a secret is plain text or JSON with two active tokens.

``rp-mw/<stage>/richpanel/webhook_token`` holds either the token itself or, while it is rotated,
``{"active_tokens": ["new", "old"]}``.
"""

from __future__ import annotations

import json
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import UnavailableError
from chalicelib.once.ports import Clock

CACHE_SECONDS = 300.0


class SecretsManager:
    """`once.ports.SecretsPort` on AWS Secrets Manager."""

    def __init__(self, client: Any, clock: Clock) -> None:  # noqa: ANN401 - boto3 builds it at run time
        self._client = client
        self._clock = clock
        self._cache: dict[str, tuple[float, str]] = {}

    def text(self, name: str, *, refresh: bool = False) -> str:
        """See `once.ports.SecretsPort.text`."""
        now = self._clock.monotonic()
        cached = self._cache.get(name)
        if cached and not refresh and now - cached[0] < CACHE_SECONDS:
            return cached[1]
        try:
            text = self._client.get_secret_value(SecretId=name)["SecretString"]
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code")
            is_gone = code == "ResourceNotFoundException"
            raise UnavailableError("secret_missing" if is_gone else "secret_unreadable") from None
        except (BotoCoreError, KeyError):
            raise UnavailableError("secret_unreadable") from None
        self._cache[name] = (now, text)
        return str(text)

    def tokens(self, name: str, *, missing: str) -> tuple[str, ...]:
        """The active tokens of a secret.

        Args:
            name: the secret.
            missing: the code of the error where it holds no token.

        Raises:
            UnavailableError: the secret cannot be read, or holds no token.
        """
        tokens = active_tokens(self.text(name))
        if not tokens:
            raise UnavailableError(missing)
        return tokens


def active_tokens(text: str) -> tuple[str, ...]:
    """The tokens that a secret's text currently allows; empty when it holds none."""
    try:
        raw = json.loads(text)
    except ValueError:
        raw = text
    tokens = raw.get("active_tokens") if isinstance(raw, dict) else [text]
    if not isinstance(tokens, list):
        return ()
    return tuple(token.strip() for token in tokens if isinstance(token, str) and token.strip())
