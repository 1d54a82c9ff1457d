"""What the dovecote posts, as JSON with its token in ``x-dovecote-token``.

A note that came: ``{"id": "f7", "to": "...", "from": "...", "note": "..."}``; a report on one of ours:
``{"id": "f3", "to": "...", "from": "...", "mark": "...", "status": "delivered"}``.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from chalicelib.errors import PayloadError, SignatureError
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Carrier, Channel
from chalicelib.outreach.consent.contact_words import Word, recognise
from chalicelib.outreach.jobs import DeliveryReceipt, InboundMessage

RANKS: Mapping[str, int] = {"sent": 2, "delivered": 3, "failed": 5}


def verify(headers: Mapping[str, str], token: str) -> None:
    """Compare the token; raises `SignatureError`."""
    if not token or not hmac.compare_digest(headers.get("x-dovecote-token", ""), token):
        raise SignatureError("invalid_signature", "header x-dovecote-token is not valid")


def parse(request: InboundRequest, opaque: keys.OpaqueIds) -> InboundMessage | DeliveryReceipt:
    """The job; raises `PayloadError`."""
    try:
        raw: dict[str, Any] = json.loads(request.body)
        about = {
            "received_at": request.received_at,
            "payload_sha256": hashlib.sha256(request.body).hexdigest(),
            "payload_bytes": len(request.body),
            "source": "pigeon",
            "trace_id": keys.digest(request.delivery_id)[:16],
            "account": None,
        }
        return _report(raw, about) if "mark" in raw else _note(raw, about, opaque)
    except (ValueError, KeyError, TypeError):
        raise PayloadError("invalid_body", "the body is not the dovecote's") from None


def _note(
    raw: Mapping[str, Any], about: Mapping[str, Any], opaque: keys.OpaqueIds
) -> InboundMessage:
    sender, recipient, text = str(raw["to"]), str(raw["from"]), str(raw["note"])
    word = recognise(text).word
    asked = None if word == Word.DOUBT else word
    return InboundMessage.model_validate(
        {
            **about,
            "event_key": outreach_keys.reply(Channel.PIGEON, raw["id"]),
            "conversation_id": opaque.of("pair", Channel.PIGEON, sender, recipient),
            "channel": Channel.PIGEON,
            "sender": sender,
            "recipient": recipient,
            "message_id": raw["id"],
            "text": text,
            "sent_at": about["received_at"],
            "opt_out": None if asked is None else asked.value,
            "carrier_answers": False,
        }
    )


def _report(raw: Mapping[str, Any], about: Mapping[str, Any]) -> DeliveryReceipt:
    opaque_id, _, entry_id = str(raw["mark"]).partition(".")
    return DeliveryReceipt.model_validate(
        {
            **about,
            "event_key": outreach_keys.receipt(raw["id"], raw["status"]),
            "conversation_id": opaque_id,
            "channel": Carrier.PIGEON,
            "sender": raw["from"],
            "recipient": raw["to"],
            "entry_id": entry_id,
            "provider_id": raw["id"],
            "status": raw["status"],
            "rank": RANKS[raw["status"]],
        }
    )
