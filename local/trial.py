"""`python -m local trial`: the stack of `make run` as tests try it from outside.

Two companies with a desk each, every simulated vendor, and a clock that a loopback control moves
(`local.stack.control`).  The addresses are in the hints file, as those of `make run` are.
"""

from __future__ import annotations

import contextlib
import functools
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from chalicelib.outreach.channels import CREDENTIALS_FIELD_OF
from chalicelib.outreach.project.project import Project
from local import company
from local.stack import environment
from local.stack.control import Control
from local.stack.idle_watch import IdleWatch
from local.stack.system import Ports, Stack
from local.stack.turned_clock import MovedClock
from local.vendors import twilio as twilio_vendor
from local.vendors.company_endpoint import SECRET, CompanyEndpoint
from local.vendors.shopify import SimulatedShopify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from local.stack.resources import Stage

CLOCK = environment.RUN / "clock"
BY_ITS_CLOCK = f"python -m local.stack.turned_clock {CLOCK} ops"
"""The beginning of an operator's command on the stack's clock.  By this machine's clock the stack's events
lie in the future, and `ops cost --since 1d` finds none."""
BEGINS_AT_HOUR = 15
"""The stack begins on a weekday at this hour of UTC: no country that it writes to sleeps then."""
RECONCILE_EVERY_SECONDS = 300.0
RATE_LIMITS = {
    "requests_per_minute": 600,
    "requests_per_day": 20000,
    "concurrent_conversations": 300,
    "max_message_length": 4096,
}
"""The limits of the first company's first project, as many tests start conversations within a minute."""
CUSTOMERS_DOMAIN, CUSTOMER = "mail.example", "friend@listed.example"
"""Only customers of this domain, and this customer, are answered on their tickets."""
FACTS_ZONE = "America/New_York"
"""A zone behind UTC, so that the day of a fact shows by which zone it was counted."""
SECOND_ID, SECOND_PROJECT_ID = "ci-bbb-002", "pi-bbb-002"
SECOND_API_KEY, SECOND_LEAD_KEY = "second-router-key", "second-desk-lead-key"
SECOND_WHATSAPP, SECOND_SMS = "+15550109051", "+15550109052"
SECOND_EMAIL = "replies@second.example"
SECOND_ACCOUNT, SECOND_TOKEN = "AC" + "0" * 31 + "2", "second-twilio-token"


@contextlib.contextmanager
def running(
    on_error: Callable[[str, BaseException], None], open_console: Callable[[], str]
) -> Iterator[tuple[Stack, dict[str, str]]]:
    """The stack, on a clock of its own that this process follows, and more hints."""
    file = CLOCK
    clock = MovedClock.new(file)
    clock.follow()
    clock.passes_pauses()
    clock.forward(_seconds_to_begin(datetime.now(UTC)))
    idle_watch = IdleWatch()
    with contextlib.ExitStack() as opened:
        shop = opened.enter_context(SimulatedShopify())
        endpoint = opened.enter_context(CompanyEndpoint())
        stack = opened.enter_context(
            Stack(
                Ports(),
                reconcile_every_seconds=RECONCILE_EVERY_SECONDS,
                on_error=on_error,
                moved_clock=file,
                idle_watch=idle_watch,
                more={
                    **answering(shop),
                    "MW_OUTBOUND_ALLOWLIST_EMAILS": CUSTOMER,
                    "FACTS_TIMEZONE": FACTS_ZONE,
                    "RICHPANEL_REQUESTS_PER_30_S": "50",
                    "COMPANY_ENDPOINT_URL": endpoint.url,
                    "LOCAL_CLOCK": str(file),
                },
            )
        )
        company.put_project(stack.stage, company.project(stack.stage.name, rate_limits=RATE_LIMITS))
        open_second_company(stack)
        company.put_signing_secret(stack.stage, SECRET)
        store = functools.partial(company.put_project, stack.stage)
        control = opened.enter_context(Control(clock, idle_watch, store, open_console))
        yield stack, {"CONTROL_URL": control.url, "LOCAL_SES_URL": stack.ses.url}


def answering(shop: SimulatedShopify) -> dict[str, str]:
    """The variables with which tickets of customers are answered from a shop."""
    return {
        "RICHPANEL_OUTBOUND_ENABLED": "true",
        "RICHPANEL_BOT_AGENT_ID": "bot-1",
        "MW_OUTBOUND_ALLOWLIST_DOMAINS": CUSTOMERS_DOMAIN,
        "SHOPIFY_BASE_URL": shop.base_url,
    }


def _seconds_to_begin(now: datetime) -> float:
    begins = now.replace(hour=BEGINS_AT_HOUR, minute=0, second=0, microsecond=0)
    while begins < now or begins.weekday() > 4:  # noqa: PLR2004 - Friday
        begins += timedelta(days=1)
    return (begins - now).total_seconds()


def second_project(stage: str) -> dict[str, Any]:
    """The second company's `company-data` item."""
    item = company.project(
        stage,
        company_id=SECOND_ID,
        project_id=SECOND_PROJECT_ID,
        company_name="Lettuce Recruitment",
        project_name="Salad",
    )
    channels = item["channel_config"]
    name = "ai-multi-comms/{}-credentials/lettuce/salad/twilio-" + stage
    channels["whatsapp"] |= {
        "company_whatsapp_number": SECOND_WHATSAPP,
        "whatsapp_credentials_id": name.format("whatsapp"),
    }
    channels["sms"] |= {
        "company_sms_number": SECOND_SMS,
        "sms_credentials_id": name.format("sms"),
    }
    channels["email"] |= {"company_email": SECOND_EMAIL}
    return item


def open_second_company(stack: Stack) -> None:
    """Open a second company on the stage, with keys, numbers and a Twilio account of its own."""
    stage: Stage = stack.stage
    item = second_project(stage.name)
    account = {
        "twilio_account_sid": SECOND_ACCOUNT,
        "twilio_auth_token": SECOND_TOKEN,
        "twilio_template_sid": twilio_vendor.TEMPLATE_SID,
    }
    first_desk = {"agent": [company.AGENT_KEY], "lead": [company.LEAD_KEY]}
    company.put_secrets(
        stage,
        {
            f"rp-mw/{stage.name}/router/api_keys": json.dumps(
                {
                    company.COMPANY_ID: {"api_keys": [company.API_KEY], "desk_keys": first_desk},
                    SECOND_ID: {
                        "api_keys": [SECOND_API_KEY],
                        "desk_keys": {"lead": [SECOND_LEAD_KEY]},
                    },
                }
            ),
            f"rp-mw/{stage.name}/twilio/webhook_tokens": json.dumps(
                {
                    twilio_vendor.ACCOUNT_SID: [twilio_vendor.AUTH_TOKEN],
                    SECOND_ACCOUNT: [SECOND_TOKEN],
                }
            ),
            **{
                Project(item).secret_name(credential): json.dumps(account)
                for credential in CREDENTIALS_FIELD_OF
            },
        },
    )
    stack.twilio.accounts[SECOND_ACCOUNT] = SECOND_TOKEN
    stack.ses.verified.add(SECOND_EMAIL.rpartition("@")[2])
    company.put_rows(stage, [item, *company.sender_rows(item, SECOND_ACCOUNT)])
