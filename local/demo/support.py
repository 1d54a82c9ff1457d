"""The support part of `make demo`: automatic replies, a question back, escalation, shadow mode."""

from __future__ import annotations

import contextlib
import importlib
import os
from typing import TYPE_CHECKING, Any

import requests

from local import aligned
from local.vendors.shopify import SimulatedShopify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from local.stack.system import Stack

EMAIL = "ottoline.reyes@mail.example"
QUIET_SECONDS = 60.0


def play(stack: Stack) -> tuple[str, list[str]]:
    """Run it on a running stack; returns the report and a list of problems."""
    problems: list[str] = []
    lines: list[tuple[str, str, str]] = []
    with SimulatedShopify() as shopify, _replying(shopify):
        shopify.add_order("#77001", email=EMAIL)
        ask = "Where is my order"
        story: list[tuple[str, Callable[[], object], int]] = [
            (
                "an order question, delivered three times",
                lambda: _says(stack, "9001", "m-1", f"{ask} #77001?", copies=3),
                1,
            ),
            (
                "one without an order number: asked for it",
                lambda: _says(stack, "9002", "m-1", f"{ask}?"),
                1,
            ),
            ("the number arrives", lambda: _says(stack, "9002", "m-2", "It is #77001"), 1),
            (
                "a chargeback with a lawyer: no automatic reply",
                lambda: _says(stack, "9003", "m-1", f"{ask}? I filed a chargeback, ask my lawyer"),
                0,
            ),
            (
                "an order question in shadow mode",
                lambda: _in_shadow(stack, lambda: _says(stack, "9004", "m-1", f"{ask} #77001?")),
                0,
            ),
        ]
        for what, act, expected in story:
            before = len(stack.richpanel.calls)
            act()
            calls = stack.richpanel.calls[before:]
            sent = sum(call.operation == "send_message" for call in calls)
            lines.append((what, f"{sent} sent", f"{len(calls)} calls to Richpanel"))
            if sent != expected:
                problems.append(f"{what}: {sent} replies instead of {expected}")
            changed = [call for call in calls if not call.operation.startswith(("read_", "list_"))]
            if "shadow" in what and changed:
                problems.append(f"{what}: {len(changed)} changes at Richpanel")
    if "route-leadership-team" not in stack.richpanel.tags_of("9003"):
        problems.append("the chargeback did not reach leadership")
    heads = ("message", "replies", "")
    return (
        f"Replies: automatic replies switched on\n\n{aligned.aligned(heads, lines)}",
        problems,
    )


def _says(stack: Stack, ticket_id: str, message_id: str, text: str, *, copies: int = 1) -> None:
    """Add a customer message and post its webhook as Richpanel's rules would."""
    with contextlib.suppress(KeyError):
        stack.richpanel.ticket(ticket_id)
        stack.richpanel.add_comment(ticket_id, text, id=message_id)
        _post_webhook(stack, ticket_id, message_id, text, copies)
        return
    comment = {"id": message_id, "body": text}
    stack.richpanel.add_ticket(ticket_id, comments=[comment], customer_email=EMAIL)
    _post_webhook(stack, ticket_id, message_id, text, copies)


def _post_webhook(stack: Stack, ticket_id: str, message_id: str, text: str, copies: int) -> None:
    for _ in range(copies):
        requests.post(
            f"{stack.http.url}/webhook/richpanel",
            json={"ticket_id": ticket_id, "message_id": message_id, "message": text},
            headers={"x-richpanel-webhook-token": stack.stage.secrets.webhook_token},
            timeout=30,
        ).raise_for_status()
    stack.wait_until_quiet(timeout_seconds=QUIET_SECONDS)


def _in_shadow(stack: Stack, act: Callable[[], None]) -> None:
    for value in ("true", "false"):
        stack.stage.aws.client("ssm").put_parameter(
            Name=f"/rp-mw/{stack.stage.name}/shadow_mode",
            Value=value,
            Type="String",
            Overwrite=True,
        )
        _restart()
        if value == "true":
            act()


@contextlib.contextmanager
def _replying(shopify: SimulatedShopify) -> Iterator[None]:
    """Run a deployment that may reply, instead of one that only routes."""
    variables = {
        "RICHPANEL_OUTBOUND_ENABLED": "true",
        "RICHPANEL_BOT_AGENT_ID": "bot-1",
        "MW_OUTBOUND_ALLOWLIST_DOMAINS": "mail.example",
        "SHOPIFY_BASE_URL": shopify.base_url,
    }
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    _restart()
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        _restart()


def _restart() -> Any:  # noqa: ANN401 - the application's services
    """Start a new container: services are rebuilt from the environment and the switches."""
    wiring = importlib.import_module("chalicelib.wiring")
    wiring._services.clear()  # noqa: SLF001 - what a deployment does
    services = wiring.services()
    for part in ("worker", "reconciler", "intake", "outbox", "secrets", "opaque_ids"):
        getattr(services, part)
    return services
