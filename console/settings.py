"""Settings of the deployed console, from the environment of its function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from chalicelib.errors import SettingsError
from console import grants
from console.colleagues import VARIABLE, Colleagues, WrongColleaguesError, colleagues

MOST_HOURS = 24


@dataclass(frozen=True, slots=True)
class ConsoleSettings:
    """How people reach the console and sign in.

    Attributes:
        url: the console's own address, without a path.
        issuer: the address of the OpenID Connect provider; its discovery document is below it.
        client_id: of the console, at the provider.
        group_claim: the claim that lists a person's groups.
        name_claim: the claim with the person's name for the journal.
        scope: the scopes that the provider is asked for.
        groups: roles by group, as text.
        session_lasts: how long a session lasts.
        colleagues: to whom a conversation of each company can be handed.
    """

    url: str
    issuer: str
    client_id: str
    group_claim: str
    name_claim: str
    scope: str
    groups: Mapping[str, tuple[str, ...]]
    session_lasts: timedelta
    colleagues: Colleagues

    @property
    def host(self) -> str:
        """The Host header of requests for the console."""
        return urlsplit(self.url).netloc


def load(environ: Mapping[str, str]) -> ConsoleSettings:
    """Read the settings.

    Raises:
        SettingsError: names the variable that is missing or wrong.
    """
    for name in ("CONSOLE_URL", "CONSOLE_ISSUER", "CONSOLE_CLIENT_ID", "CONSOLE_GROUPS"):
        if not environ.get(name):
            raise SettingsError(f"environment variable {name} is missing")
    return ConsoleSettings(
        url=_origin(environ, "CONSOLE_URL"),
        issuer=_url(environ, "CONSOLE_ISSUER"),
        client_id=environ["CONSOLE_CLIENT_ID"],
        group_claim=environ.get("CONSOLE_GROUP_CLAIM") or "groups",
        name_claim=environ.get("CONSOLE_NAME_CLAIM") or "email",
        scope=environ.get("CONSOLE_SCOPE") or "openid email profile",
        groups=_groups(environ["CONSOLE_GROUPS"]),
        session_lasts=_hours(environ.get("CONSOLE_SESSION_HOURS") or "8"),
        colleagues=colleagues_of(environ),
    )


def colleagues_of(environ: Mapping[str, str]) -> Colleagues:
    """To whom a conversation of each company can be handed.

    Raises:
        SettingsError: the variable is wrong.
    """
    try:
        return colleagues(environ.get(VARIABLE, ""))
    except WrongColleaguesError as error:
        raise SettingsError(f"environment variable {VARIABLE}: {error}") from None


def _groups(text: str) -> dict[str, tuple[str, ...]]:
    try:
        return grants.parsed(text)
    except grants.WrongGroupsError as error:
        raise SettingsError(f"environment variable CONSOLE_GROUPS: {error}") from None


def _hours(text: str) -> timedelta:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_HOURS:
        raise SettingsError(f"environment variable CONSOLE_SESSION_HOURS is not 1 to {MOST_HOURS}")
    return timedelta(hours=int(text))


def _url(environ: Mapping[str, str], name: str) -> str:
    """An https address; http is accepted only for this machine, which has no certificates."""
    text = environ[name].rstrip("/")
    parts = urlsplit(text)
    host = parts.hostname or ""
    is_here = host in ("127.0.0.1", "localhost") or host.endswith(".localhost")
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and is_here)):
        raise SettingsError(f"environment variable {name} is not an https address")
    return text


def _origin(environ: Mapping[str, str], name: str) -> str:
    text = _url(environ, name)
    if urlsplit(text).path:
        raise SettingsError(f"environment variable {name} has a path; the console has none")
    return text
