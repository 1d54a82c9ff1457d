"""Aloware and HubSpot as they post their webhooks, and what the report and its archive then have."""

import base64
import hashlib
import hmac
import json
from pathlib import Path

from tests.rigs.fact_queries import FactQueries

COMPLETED = "OutboundPhoneCall-DispositionCompleted"


def call(stack, **changes):
    """A call that an agent has made and ended; `type=2` is a text."""
    return {
        "id": 719_000_000 + stack.number(),
        "type": 1,
        "direction": 2,
        "owner_id": 101,
        "current_status2": 9,
        "disposition_status2": 4,
        "created_at": f"{stack.now():%Y-%m-%d %H:%M:%S}",
        **changes,
    }


def aloware(stack, body, event=COMPLETED, *, token=None):
    """Aloware reports a communication."""
    return aloware_bytes(stack, json.dumps({"event": event, "body": body}), token=token)


def aloware_bytes(stack, raw, *, token=None):
    """Aloware posts any body; its work is done when this returns, so that the next minute posts it."""
    headers = {"authorization": f"Bearer {token or stack.hints['ALOWARE_TOKEN']}"}
    answer = stack.request("POST", "/webhook/aloware", headers=headers, data=raw)
    stack.settle()
    return answer


def creation(stack, **changes):
    """A ticket was created at HubSpot; `objectTypeId="0-49"` is an e-mail."""
    return {
        "eventId": 1,
        "subscriptionId": 12,
        "portalId": 77,
        "appId": 5,
        "occurredAt": int(stack.now().timestamp() * 1000),
        "subscriptionType": "object.creation",
        "objectTypeId": "0-5",
        "attemptNumber": 0,
        "objectId": 900_000 + stack.number(),
        "changeFlag": "CREATED",
        "sourceId": "userId:5001",
        **changes,
    }


def hubspot(stack, content, *, secret=None, url=None, seconds_off=0):
    """HubSpot posts a batch, or a workflow's record, signed; its work is done when this returns."""
    raw = json.dumps(content)
    at = str(int((stack.now().timestamp() + seconds_off) * 1000))
    signed = f"POST{url or stack.hints['HUBSPOT_WEBHOOK_URL']}{raw}{at}".encode()
    key = (secret or stack.hints["HUBSPOT_CLIENT_SECRET"]).encode()
    signature = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    headers = {"x-hubspot-signature-v3": signature, "x-hubspot-request-timestamp": at}
    answer = stack.request("POST", "/webhook/hubspot", headers=headers, data=raw)
    stack.settle()
    return answer


def key_of(event):
    """The key of a call or of a creation."""
    if "id" in event:
        return f"ALOWARE:{event['id']}"
    parts = (event[name] for name in ("objectTypeId", "objectId", "subscriptionType", "occurredAt"))
    return ":".join(["HUBSPOT", *map(str, parts)])


def table(stack, name):
    """The rows of a table of the report."""
    dataset = stack.hints["POWERBI_DATASET_ID"]
    return stack.powerbi.get(f"datasets/{dataset}/tables/{name}/rows")["rows"]


def reported(stack, event):
    """What the report says of a call or a creation: agent, day and metric of each of its rows."""
    return [_said(row) for row in table(stack, "FactEvent") if row["EventID"] == key_of(event)]


def mirrored(stack, event):
    """What the mirrored table in OneLake has of it, in the same form."""
    rows = stack.onelake.get("tables/FactEvent/rows")["rows"]
    return [_said(row) for row in rows if row["EventID"] == key_of(event)]


def archived(stack, event):
    """What the archive has of it, in the same form, by the view of the docs."""
    query = FactQueries(stack.hints["FACTS_FOLDER"])
    found = query("SELECT EventID, AgentID, day, MetricID FROM fact_event")
    return [tuple(row[1:]) for row in found if row[0] == key_of(event)]


def archive_files(stack, day):
    """The names of a day's files in the archive."""
    folder = Path(stack.hints["FACTS_FOLDER"], "FactEvent", f"day={day}")
    return sorted(path.name for path in folder.iterdir())


def _said(row):
    return row["AgentID"], row["FactDateKey"][:10], row["MetricID"]
