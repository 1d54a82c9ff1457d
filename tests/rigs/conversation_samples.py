"""Invented conversations and messages."""

from datetime import UTC, datetime, timedelta

from chalicelib.clock import iso
from chalicelib.outreach.conversations.records import Entry

TEL = "+15550100001"
EMAIL = "j.doe@example.com"
SENDERS = {
    "whatsapp": {"company_whatsapp_number": "+15550109001"},
    "sms": {"company_sms_number": "+15550109002"},
    "email": {"company_email": "replies@company.example"},
}


def new(request_id="req123", channel="whatsapp", **more):
    recipient = EMAIL if channel == "email" else TEL
    return {
        "primary_channel": recipient,
        "conversation_id": f"ci-aaa-001#pi-aaa-001#{request_id}#{recipient.lstrip('+')}",
        "opaque_id": f"opaque-{request_id}-{channel}",
        "start_event": f"evt:start:{request_id}",
        "company_id": "ci-aaa-001",
        "project_id": "pi-aaa-001",
        "request_id": request_id,
        "channel_method": channel,
        "channel_config": SENDERS[channel],
        "recipient_email" if channel == "email" else "recipient_tel": recipient,
        **more,
    }


def message(number, role="user"):
    return Entry(
        entry_id=f"e-{number:05d}",
        message_timestamp=iso(datetime(2026, 11, 20, tzinfo=UTC) + timedelta(seconds=number)),
        role=role,
        content=f"message number {number:05d} " + "x" * 200,
    )
