"""A stack that runs until Ctrl-C, with the console over it: `make run`, and the one that tests try."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TextIO

from chalicelib.clock import iso
from chalicelib.support.settable_tags import every_tag
from console import loopback
from local import trial as trials
from local.stack import environment
from local.stack.emf import RECORD, Metrics, without_metrics
from local.stack.system import STAGE, Ports, Stack
from local.vendors.shopify import SimulatedShopify
from local.welcome import welcome
from ops.session import Session

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from local.vendors.richpanel import SimulatedRichpanel


CUSTOMER = f"jo@{trials.CUSTOMERS_DOMAIN}"


def run(options: argparse.Namespace) -> int:
    """Start everything and run until Ctrl-C."""
    ports = Ports(options.port, options.engine_port, options.richpanel_port)
    with _shown() as shown, contextlib.ExitStack() as opened, _until_interrupted():
        shop = opened.enter_context(SimulatedShopify())
        stack = opened.enter_context(
            Stack(
                ports,
                reconcile_every_seconds=options.reconcile_every,
                on_error=_complain,
                more=trials.answering(shop),
            )
        )
        seed(stack.richpanel)
        stock(shop)
        address = opened.enter_context(_described(stack, shown, options.console_port, {}))
        print(welcome(stack, shop, address), flush=True)
        threading.Event().wait()
    return 0


def trial(_options: argparse.Namespace) -> int:
    """Start everything as tests try it from outside, on free ports, and run until Ctrl-C."""
    with _shown() as shown, contextlib.ExitStack() as opened, _until_interrupted():
        stack, more = opened.enter_context(
            trials.running(_complain, lambda: opened.enter_context(_console(0)))
        )
        seed(stack.richpanel)
        opened.enter_context(_described(stack, shown, 0, more))
        print(f"running; the addresses are in {environment.HINTS}", flush=True)
        print(
            f"its clock is ahead of this machine's; commands by its clock: {trials.BY_ITS_CLOCK} cost"
        )
        sys.stdout.flush()
        threading.Event().wait()
    return 0


@contextlib.contextmanager
def _shown() -> Iterator[_WithoutMetrics]:
    """Whatever the block prints is shown without metrics; signals interrupt it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    print("starting ...", flush=True)
    shown = _WithoutMetrics(sys.stdout)
    with contextlib.redirect_stdout(shown):
        yield shown
    print("stopped", flush=True)


@contextlib.contextmanager
def _until_interrupted() -> Iterator[None]:
    """Ctrl-C ends the block; a second one changes nothing, so that everything is closed."""
    try:
        yield
    except KeyboardInterrupt:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        print("\nstopping ...", flush=True)


@contextlib.contextmanager
def _described(
    stack: Stack, shown: _WithoutMetrics, console_port: int, more: Mapping[str, str]
) -> Iterator[str]:
    """The console, the metrics, and the hints of a running stack; yields the console's link."""
    secrets = stack.stage.secrets
    with _console(console_port) as address:
        environment.write_hints(
            {
                **_operators(stack.variables, stack.http.url),
                "WEBHOOK_TOKEN": secrets.webhook_token,
                "ALOWARE_TOKEN": secrets.aloware_token,
                "HUBSPOT_CLIENT_SECRET": secrets.hubspot_secret,
                "CONSOLE_URL": address,
                **more,
            }
        )
        metrics = Metrics(stack.stage.aws.client("cloudwatch"))
        try:
            with metrics.running() as shown.metrics:
                yield address
        finally:
            environment.remove_hints()


@contextlib.contextmanager
def _console(port: int) -> Iterator[str]:
    """The console over the running stack; yields the link that signs in, once."""
    session = Session(STAGE)
    try:
        opened = loopback.listen(session, port=port, who=session.identity.name)
    except OSError:
        opened = loopback.listen(session, port=0, who=session.identity.name)
    thread = threading.Thread(target=opened.server.serve_forever, daemon=True)
    thread.start()
    try:
        yield opened.url
    finally:
        opened.server.shutdown()
        opened.server.server_close()


def _operators(variables: Mapping[str, str], url: str) -> dict[str, str]:
    """The stack's variables for a second terminal.

    The public URL is the local server's, and SES calls go to the engine instead of the simulated
    SES, as operator commands only use the management API.
    """
    not_shared = {"AWS_ENDPOINT_URL_SESV2"}
    shared = {name: value for name, value in variables.items() if name not in not_shared}
    return {**shared, "PUBLIC_BASE_URL": url}


def seed(richpanel: SimulatedRichpanel) -> None:
    """Create the tags of a configured tenant, and three tickets of one customer to try things with.

    The tickets are two days old, so that the sweep leaves them until a webhook is posted.
    """
    for tag in sorted(every_tag()):
        richpanel.tag_id(tag)
    for ticket_id, comment_id, text in (
        ("1042", "c-77", "Where is my order?"),
        ("1043", "c-78", "I want to return these shoes"),
        ("1044", "c-79", "My discount code does not work"),
    ):
        comment = {"body": text, "id": comment_id}
        richpanel.add_ticket(ticket_id, comments=[comment], customer_email=CUSTOMER)
    since = iso(datetime.now(UTC) - timedelta(days=2))
    for ticket_id in richpanel.ticket_ids:
        richpanel.set_last_update(ticket_id, since)


def stock(shop: SimulatedShopify) -> None:
    """Orders of the customer who wrote ticket 1042, one of each kind."""
    company, link = "UPS", "https://carrier.example/t/ZZ5550001"
    followed = {"number": "ZZ5550001", "company": company, "url": link}
    shop.add_order("#1001", email=CUSTOMER, tracking=followed)
    shop.add_order("#1002", email=CUSTOMER)
    shop.add_order("#1003", email=CUSTOMER, tracking=followed, displayFinancialStatus="REFUNDED")
    shop.add_order("#1004", email=CUSTOMER, shipping="Free shipping", country="AU")


def _complain(what: str, error: BaseException) -> None:
    print(f"{what}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)


class _WithoutMetrics:
    """A terminal that shows log lines; their metrics go to the engine, where the console reads them.

    Attributes:
        metrics: takes them; None while the engine starts or stops, when they are dropped.
    """

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self.metrics: Metrics | None = None

    def write(self, text: str) -> int:
        if not text.startswith(RECORD):
            return self._terminal.write(text)
        if self.metrics is not None:
            self.metrics.take(text)
        shown = without_metrics(text)
        return self._terminal.write(shown) if shown else len(text)

    def flush(self) -> None:
        self._terminal.flush()
