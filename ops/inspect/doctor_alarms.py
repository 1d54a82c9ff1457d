"""Checks that the alarms exist, notify their topic, and that the topic has a confirmed recipient."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ops.inspect.finding import Finding, finding
from ops.session import Session
from ops.stage import lost
from ops.stage.template import ALARM_TOPIC, COMPOSITE

SUBSCRIBE = "python -m ops provision --alarm-email"


def alarms(session: Session) -> Iterator[Finding]:
    """Check that the declared alarms exist and notify somebody.

    An alarm that a composite alarm watches needs no action of its own.
    """
    topic = str(session.template.resolved({"Ref": ALARM_TOPIC}))
    declared = {
        resource.properties["AlarmName"]: resource.properties
        for resource in session.template.resources("AWS::CloudWatch::Alarm", COMPOSITE)
    }
    found = lost.alarms(session, list(declared))
    missing = [name for name in declared if name not in found]
    notify = {name: alarm for name, alarm in found.items() if declared[name].get("AlarmActions")}
    off = [name for name, alarm in notify.items() if not alarm.get("ActionsEnabled", True)]
    silent = [name for name, alarm in notify.items() if topic not in alarm.get("AlarmActions", [])]
    problems = [f"missing: {', '.join(missing)}"] if missing else []
    problems += [f"switched off: {', '.join(off)}"] if off else []
    problems += [f"do not notify {_last(topic)}: {', '.join(silent)}"] if silent else []
    yield finding("alarms", problems, good=f"{len(notify)} notify {_last(topic)}")
    ringing = [name for name, alarm in found.items() if alarm["StateValue"] == "ALARM"]
    pages = [
        declared[name]["AlarmDescription"].rpartition("Runbook: ")[2]
        for name in ringing
        if "AlarmRule" not in found[name]  # a composite's alarms are listed themselves
    ]
    yield Finding("alarms ringing", "warn" if pages else "ok", ", ".join(pages) or "none")
    yield _recipients(session.client("sns"), topic)


def _recipients(sns: Any, topic: str) -> Finding:  # noqa: ANN401 - a boto3 client
    """Check the topic's confirmed subscriptions; hides addresses, because output is pasted into tickets."""
    check = "alarm recipients"
    pages = sns.get_paginator("list_subscriptions_by_topic")
    try:
        listed = [
            subscription
            for page in pages.paginate(TopicArn=topic)
            for subscription in page["Subscriptions"]
        ]
    except sns.exceptions.NotFoundException:
        return Finding(check, "fail", f"{_last(topic)} does not exist")
    confirmed = [
        subscription["Protocol"]
        for subscription in listed
        if _is_confirmed(sns, subscription["SubscriptionArn"])
    ]
    waiting = len(listed) - len(confirmed)
    unconfirmed = f"{waiting} not confirmed: use the link in the mail from AWS" if waiting else ""
    if not confirmed:
        detail = f"no one is notified: {unconfirmed or SUBSCRIBE}"
        return Finding(check, "fail", detail, mend="python -m ops provision --alarm-email <yours>")
    notified = f"{len(confirmed)} by {', '.join(sorted(set(confirmed)))}"
    return Finding(check, "warn" if waiting else "ok", f"{notified}; {unconfirmed}".rstrip("; "))


def _is_confirmed(sns: Any, subscription: str) -> bool:  # noqa: ANN401 - a boto3 client
    """Whether a subscription is confirmed; otherwise its ARN may be ``PendingConfirmation``."""
    if not subscription.startswith("arn:"):
        return False
    found = sns.get_subscription_attributes(SubscriptionArn=subscription)["Attributes"]
    return str(found.get("PendingConfirmation", "false")).lower() != "true"


def _last(arn: str) -> str:
    return arn.rsplit(":", 1)[-1]
