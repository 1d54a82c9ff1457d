"""Named secrets, cached; a secret is plain text or JSON with two active tokens.

Misses are cached too: a door that has no secret must cost nothing for each request it refuses.

``rp-mw/<stage>/richpanel/webhook_token`` holds either the token itself or, while it is rotated,
``{"active_tokens": ["new", "old"]}``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import SignatureError, UnavailableError
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import SECRET_MISSING, SECRET_UNREADABLE

CACHE_SECONDS = 300.0
MISS_SECONDS = 60.0
"""How long a secret that is missing or refused is not asked for again."""
OUTAGE_SECONDS = 5.0
"""How long a secret is not asked for again after a failure of Secrets Manager itself: short, as
some senders never repeat a request."""
MAX_CACHED = 256
"""Most secrets in the cache; a full cache drops the one that expires first."""
MISSING = SECRET_MISSING
_REFUSALS = frozenset({"AccessDeniedException", "DecryptionFailure", "InvalidRequestException"})
"""Error codes of Secrets Manager that persist until a person changes something."""


@dataclass(frozen=True, slots=True)
class _Cached:
    """A secret's text, or the reason why there is none, and until when the cache keeps it."""

    expires: float
    text: str = field(default="", repr=False)
    problem: str = ""


class SecretsManager:
    """Reads secrets from AWS Secrets Manager, as the port `once.ports.SecretsPort`."""

    def __init__(self, client: Any, clock: Clock) -> None:  # noqa: ANN401 - boto3 builds it at run time
        self._client = client
        self._clock = clock
        self._cache: dict[str, _Cached] = {}

    def text(self, name: str, *, refresh: bool = False) -> str:
        """The text of a secret, at most `CACHE_SECONDS` old; raises `UnavailableError` when unreadable."""
        now = self._clock.monotonic()
        cached = self._cache.get(name)
        if cached is None or refresh or now >= cached.expires:
            cached = self._read(name, now)
            self._keep(name, cached)
        if cached.problem:
            raise UnavailableError(cached.problem)
        return cached.text

    def text_or_none(self, name: str) -> str | None:
        """The text of a secret; None where there is no such secret.

        Raises:
            UnavailableError: it cannot be read.
        """
        try:
            return self.text(name)
        except UnavailableError as error:
            if error.code != MISSING:
                raise
            return None

    def fetch(self, names: Sequence[str]) -> None:
        """Read several secrets into the cache by one call; never raises.

        A single secret is left to `text`, as the batch call needs a further permission.
        """
        now = self._clock.monotonic()
        wanted = [
            name for name in names if name not in self._cache or now >= self._cache[name].expires
        ]
        if len(wanted) < 2:  # noqa: PLR2004
            return
        with suppress(ClientError, BotoCoreError):
            found = self._client.batch_get_secret_value(SecretIdList=wanted)
            for secretvalue in found["SecretValues"]:
                if "SecretString" in secretvalue:
                    self._keep(
                        secretvalue["Name"],
                        _Cached(now + CACHE_SECONDS, str(secretvalue["SecretString"])),
                    )

    def tokens(self, name: str, *, missing: str) -> tuple[str, ...]:
        """The tokens that a secret allows at present.

        Raises:
            SignatureError: there is no such secret, or it holds no token, so no request can be
                verified. Its code is `missing`.
            UnavailableError: the secret cannot be read.
        """
        tokens = active_tokens(self.text_or_none(name) or "")
        if not tokens:
            raise SignatureError(missing, "no secret is configured for this door")
        return tokens

    def _keep(self, name: str, found: _Cached) -> None:
        if len(self._cache) >= MAX_CACHED and name not in self._cache:
            del self._cache[min(self._cache, key=lambda name: self._cache[name].expires)]
        self._cache[name] = found

    def _read(self, name: str, now: float) -> _Cached:
        try:
            text = self._client.get_secret_value(SecretId=name)["SecretString"]
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code")
            is_gone = code == "ResourceNotFoundException"
            problem = MISSING if is_gone else SECRET_UNREADABLE
            seconds = MISS_SECONDS if is_gone or code in _REFUSALS else OUTAGE_SECONDS
            return _Cached(now + seconds, problem=problem)
        except KeyError:
            return _Cached(now + MISS_SECONDS, problem=SECRET_UNREADABLE)
        except BotoCoreError:
            return _Cached(now + OUTAGE_SECONDS, problem=SECRET_UNREADABLE)
        return _Cached(now + CACHE_SECONDS, str(text))


def active_tokens(text: str) -> tuple[str, ...]:
    """The tokens that a secret's text holds: the text itself, or its JSON's list; empty when none."""
    try:
        raw = json.loads(text)
    except ValueError:
        raw = text
    tokens = raw.get("active_tokens") if isinstance(raw, dict) else [text]
    if not isinstance(tokens, list):
        return ()
    return tuple(token.strip() for token in tokens if isinstance(token, str) and token.strip())
