"""The console's pages under attack: sessions that are none, have ended or are another stage's, forged forms,
pages of other roles.  No page may be shown, and no row may change."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from console import rights
from console.openid import SESSION_COOKIE, SIGN_IN_COOKIE
from console.rights import RIGHTS, Right, Role
from console.sessions import LASTS, Sessions, digest, form_token
from tests.attack.run import Report
from tests.rigs.fakes import ManualClock
from tests.rigs.openid_console import URL, OpenIdConsole
from tests.simulation import tables

HOST = URL.removeprefix("https://")
OURS = {"Origin": URL, "Sec-Fetch-Site": "same-origin"}
NOWHERE = "http://localhost:9"
GRANTS = {
    Role.VIEWER: "viewer",
    Role.OPERATOR: "operator",
    Role.AGENT: "agent:ci-a",
    Role.LEAD: "lead:ci-a",
}
REFUSALS = frozenset({302, 401, 403, 404, 405, 421})
HOMES = frozenset({"/inbox", "/figures", "/company"})
"""The first page of a person without an operator's role."""


@dataclass(frozen=True)
class Page:
    """One view by one of its methods."""

    endpoint: str
    path: str
    method: str
    right: Right | None


@dataclass(frozen=True)
class Try:
    """One request; what it shows of a session, and what else is wrong with it."""

    kind: str
    cookie: str = field(default="", repr=False)
    name: str = SESSION_COOKIE
    headers: Mapping[str, str] = field(default_factory=lambda: dict(OURS))
    form: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str = URL


class ConsoleAttacker:
    """Attacks one console, whose tables are in memory."""

    def __init__(self) -> None:
        provider: Any = SimpleNamespace(url=NOWHERE)  # no attack signs in, so it is never asked
        self.console = OpenIdConsole(provider)
        self._client = self.console.app.test_client(use_cookies=False)
        self._now = self.console.services.clock
        self.tokens = {role: self._session(grant) for role, grant in GRANTS.items()}

    def attack(self, report: Report, count: int, seed: int) -> None:
        """Send so many requests, every kind at every page in turn."""
        chance = random.Random(f"{seed}console")
        pages = self.pages()
        for number in range(count):
            page = pages[number % len(pages)]
            tries = list(self.tries(page, chance))
            attempt = tries[number // len(pages) % len(tries)]
            status, problem = self.send(page, attempt)
            report.answers["console", attempt.kind][status] += 1
            if problem:
                shown = f"{page.method} {page.path} {attempt.kind}"
                report.problems.setdefault(f"console {attempt.kind}: {problem}", shown)

    def pages(self) -> list[Page]:
        """Every page that is not open to anyone, with values for its parameters."""
        app, found = self.console.app, []
        urls = app.url_map.bind(HOST)
        for rule in app.url_map.iter_rules():
            right = rights.needed_by(app.view_functions[rule.endpoint])
            if rule.endpoint == "static" or right is Right.ANYONE:
                continue
            values = {
                name: 1 if "int" in str(rule._converters[name]) else "x" for name in rule.arguments
            }
            path = urls.build(rule.endpoint, values)
            methods = sorted((rule.methods or set()) & {"GET", "POST"})
            found += [Page(rule.endpoint, path, method, right) for method in methods]
        return found

    def tries(self, page: Page, chance: random.Random) -> Iterator[Try]:
        """Requests that must be refused at a page."""
        token = self.tokens[Role.OPERATOR]
        at = chance.randrange(len(token))
        changed = token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
        yield Try("no session")
        for forged in (
            changed,
            token[:-1],
            token + token[0],
            digest(token),
            "x" * 9_000,
            "\u00ff%00",
        ):
            yield Try("forged session", forged)
        yield Try(
            "session under another cookie", token, name=SESSION_COOKIE.removeprefix("__Host-")
        )
        yield Try("session as a sign-in", token, name=SIGN_IN_COOKIE)
        yield Try("sign-in as a session", self.console.sessions.begin_sign_in({"state": "x"}))
        yield Try("session that is over", self._session("operator", LASTS))
        yield Try("revoked session", self._revoked())
        yield Try("another stage's session", self._elsewhere())
        yield Try("another host", token, url="https://evil.example")
        for role, own in self.tokens.items():
            if page.right is None or page.right not in RIGHTS[role]:
                yield Try("page of another role", own, form={"token": form_token(own)})
        if page.method == "POST":
            yield from self._forms(token)

    def _forms(self, token: str) -> Iterator[Try]:
        other, right = form_token(self.tokens[Role.VIEWER]), form_token(token)
        for given in ("", "x", other, right[:-1], right.upper(), token):
            yield Try("form of another session", token, form={"token": given})
        for headers in (
            {},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": URL, "Sec-Fetch-Site": "cross-site"},
            {"Origin": URL, "Sec-Fetch-Site": "same-site"},
            {"Origin": f"{URL}.evil.example", "Sec-Fetch-Site": "same-origin"},
        ):
            yield Try("form of another site", token, headers=headers, form={"token": right})

    def send(self, page: Page, attempt: Try) -> tuple[int, str]:
        """Send a request; its status, and what is wrong with the answer."""
        before = self._rows()
        cookie = {"Cookie": f"{attempt.name}={attempt.cookie}"} if attempt.cookie else {}
        answer = self._client.open(
            page.path,
            method=page.method,
            base_url=attempt.url,
            headers={**attempt.headers, **cookie},
            data=attempt.form if page.method == "POST" else None,
        )
        status = answer.status_code
        target = answer.headers.get("location", "")
        if attempt.kind == "page of another role" and page.path == "/" and target in HOMES:
            return status, ""
        if status not in REFUSALS:
            return status, f"answered {status}"
        if status == 302 and not target.startswith("/sign-in?"):
            return status, "leads elsewhere"
        return status, "changed a row" if self._rows() != before else ""

    def _rows(self) -> str:
        """What an act would have changed: journal, ledger and conversations."""
        held = self.console.services._tables.values()
        return repr([table.scan_page(limit=1_000)[0] for table in held])

    def _session(self, grant: str, ago: timedelta = timedelta()) -> str:
        clock = ManualClock(self._now.now() - ago)
        sessions = Sessions(self.console.table, clock, LASTS)
        return sessions.start("eve@example.com <00e at login.example>", [grant], subject="00e")

    def _revoked(self) -> str:
        token = self._session("operator")
        self.console.sessions.end(token, by="Operators/jo")
        return token

    def _elsewhere(self) -> str:
        """A session of a stage with a table of its own."""
        sessions = Sessions(tables.console_sessions(), self._now, LASTS)
        return sessions.start("eve@example.com <00e at login.example>", ["operator"], subject="00e")


def attack_console(report: Report, count: int, seed: int) -> None:
    """Attack the console, and add to a report what came of it."""
    ConsoleAttacker().attack(report, count, seed)
