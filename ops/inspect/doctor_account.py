"""Checks the account's limits at AWS: concurrent executions, e-mail, and the functions' Python runtime.

A new account has lower limits than AWS documents.  Each finding names the limit, what the stage
needs, and where to ask for more.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.once.lanes import EMAIL, LANES
from ops.inspect.finding import Finding, finding
from ops.session import Session
from ops.stage import config, runtime

OTHER_FUNCTIONS = 15
"""Concurrent executions beside the lanes': the doors at 100 webhooks a second, mail, two schedules."""
EMAILS_A_SECOND = 7
"""The e-mails that one worker of the lane `email` sends in a second."""
NEARLY_USED = 0.8
ENDS_SOON = timedelta(days=180)
RECEIVING = frozenset(
    {
        *("us-east-1", "us-east-2", "us-west-2", "ca-central-1"),
        *("eu-west-1", "eu-west-2", "eu-central-1"),
        *("ap-northeast-1", "ap-southeast-1", "ap-southeast-2"),
    }
)
"""Regions in which SES is known to receive e-mail.

https://aws.amazon.com/about-aws/whats-new/2023/09/amazon-ses-email-service-7-regions/; more may be in
https://docs.aws.amazon.com/general/latest/gr/ses.html.
"""
PRODUCTION_ACCESS = (
    "aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL"
    " --website-url <yours> --use-case-description <what is sent to whom>"
)
SENDING_QUOTAS = "Service Quotas, Amazon Simple Email Service"


def concurrency(session: Session) -> Iterator[Finding]:
    """Check that the account's limit lets all functions run at once."""
    check, needed = "concurrency", _executions(session.stage)
    try:
        limits: dict[str, Any] = session.client("lambda").get_account_settings()["AccountLimit"]
    except (ClientError, BotoCoreError, KeyError):
        yield Finding(check, "warn", f"Lambda cannot be queried; {needed} executions are needed")
        return
    limit = int(limits["ConcurrentExecutions"])
    if limit >= needed:
        yield Finding(check, "ok", f"{needed} of {limit} executions")
        return
    yield Finding(
        check,
        "warn",
        f"the account runs {limit} executions at once, {needed} are needed: ask AWS for"
        f" {max(50, needed)} (Service Quotas, Lambda, Concurrent executions)",
    )


def python(session: Session) -> Iterator[Finding]:
    """Check how long Lambda still accepts the pinned Python runtime."""
    name, end = runtime.name(), runtime.ENDS.get(runtime.name())
    if end is None:
        yield Finding("runtime", "warn", f"it is not known how long Lambda takes {name}")
        return
    today = session.services.clock.now().date()
    said = f"{name} is deprecated on {end.deprecated}; nothing is deployed from {end.no_update} on"
    result = "ok" if today < end.deprecated - ENDS_SOON else "warn"
    yield Finding("runtime", "fail" if today >= end.no_create else result, said)


def ses(session: Session) -> Iterator[Finding]:
    """Check that SES lets the account send and receive, and has verified the stage's identities."""
    given = config.configured(session.stage).get("SENDER_IDENTITIES", "")
    arns = [arn.strip() for arn in given.split(",") if arn.strip()]
    if not arns:
        detail = "SENDER_IDENTITIES is not set: no e-mail is sent"
        yield Finding("ses", "ok", detail)
        return
    client = session.client("sesv2")
    try:
        account = client.get_account()
    except (ClientError, BotoCoreError) as error:
        yield Finding("ses", "warn", f"SES cannot be asked: {type(error).__name__}")
        return
    yield _may_send(account)
    yield _quotas(account, config.lane_concurrency(session.stage, EMAIL.handler))
    yield _receives(client.meta.region_name)
    names = [arn.rpartition("identity/")[2] for arn in arns]
    problems = [f"{name} is not verified" for name in names if not _is_verified(client, name)]
    yield finding("ses identities", problems, good=f"{len(names)} verified")


def _executions(stage: str) -> int:
    """The concurrent executions that all functions of the stage may need."""
    lanes = sum(config.lane_concurrency(stage, lane.handler) for lane in LANES)
    return lanes + config.LATER_CONCURRENCY + OTHER_FUNCTIONS


def _may_send(account: dict[str, Any]) -> Finding:
    check = "ses account"
    if not account.get("SendingEnabled", True):
        detail = (
            "SES has stopped the account's sending: no e-mail leaves. Amazon SES, Account dashboard"
        )
        return Finding(check, "fail", detail)
    if not account.get("ProductionAccessEnabled"):
        detail = "the account is in SES's sandbox: only verified addresses get e-mail"
        return Finding(check, "warn", detail, mend=PRODUCTION_ACCESS)
    status = account.get("EnforcementStatus", "HEALTHY")
    if status != "HEALTHY":
        detail = f"SES has the account under {status.lower()}: bounces or complaints are too many"
        return Finding(check, "warn", detail)
    return Finding(check, "ok")


def _quotas(account: dict[str, Any], workers: int) -> Finding:
    """Check SES's quotas for a second and a day; -1 means no daily limit."""
    quota = account.get("SendQuota", {})
    rate, day = float(quota.get("MaxSendRate", 0)), float(quota.get("Max24HourSend", 0))
    sent, needed = float(quota.get("SentLast24Hours", 0)), workers * EMAILS_A_SECOND
    problems = []
    if rate < needed:
        problems.append(
            f"SES takes {rate:g} e-mails a second, {workers} workers send {needed}: ask for more"
            f" ({SENDING_QUOTAS}, Sending rate), or what is beyond waits"
        )
    if day >= 0 and sent >= NEARLY_USED * day:
        problems.append(
            f"{sent:g} of {day:g} e-mails of 24 hours are sent: ask for more"
            f" ({SENDING_QUOTAS}, Sending quota)"
        )
    said = "; ".join(problems) or f"{rate:g} a second, {sent:g} of {day:g} in 24 hours"
    return Finding("ses quotas", "warn" if problems else "ok", said)


def _receives(region: str) -> Finding:
    if region in RECEIVING:
        return Finding("ses receiving", "ok", region)
    detail = (
        f"SES is not known to receive e-mail in {region}: look for its inbound-smtp endpoint in"
        " https://docs.aws.amazon.com/general/latest/gr/ses.html, or customers' replies do not arrive"
    )
    return Finding("ses receiving", "warn", detail)


def _is_verified(client: Any, identity: str) -> bool:  # noqa: ANN401 - a boto3 client
    try:
        found = client.get_email_identity(EmailIdentity=identity)
    except ClientError:
        return False
    return bool(found.get("VerifiedForSendingStatus"))
