"""What `make run` prints once everything runs: addresses, and commands to paste."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from local import company, send
from local.stack import environment
from local.stack.engine import ROOT
from local.stack.system import STAGE

if TYPE_CHECKING:
    from local.stack.system import Stack
    from local.vendors.shopify import SimulatedShopify

_START = """\
curl -sS {url}/initiate-conversation -H 'content-type: application/json' \\
    -H 'x-api-key: {key}' \\
    -d '{{"company_data": {{"company_id": "ci-aaa-001", "project_id": "pi-aaa-002"}},
         "recipient_data": {{"recipient_first_name": "Jo", "recipient_tel": "+15550100001",
                            "comms_consent": true}},
         "request_data": {{"request_id": "req-1", "channel_method": "sms",
                          "initial_request_timestamp": "2026-11-20T09:00:00.000Z"}}}}'"""
"""The command of docs/tutorial.md, with this run's addresses."""


def welcome(stack: Stack, shop: SimulatedShopify, console: str) -> str:
    """The text."""
    url, vendor = stack.http.url, stack.richpanel.url
    python = (
        os.path.relpath(sys.executable) if ROOT in Path(sys.executable).parents else sys.executable
    )
    token, hints = stack.stage.secrets.webhook_token, os.path.relpath(environment.HINTS)
    port = "" if stack.http.url == send.URL else f" --url {stack.http.url}"
    return f"""
running
  webhooks             {url}/webhook/richpanel
  health               {url}/health
  AWS engine           {stack.engine.url}   (tables, queues, switches, secrets of stage {STAGE})
  simulated Richpanel  {vendor}/_sim   (tickets 1042, 1043, 1044)
  simulated Shopify    {shop.url}/_sim   (orders #1001 on its way, #1002, #1003 refunded, #1004 abroad)
  console              {console}
                       (the link works once; what you do there is done as you)

send a webhook, then send it again: the second one changes nothing
  curl -sS {url}/webhook/richpanel -H 'content-type: application/json' \\
    -H 'x-richpanel-webhook-token: {token}' \\
    -d '{{"ticket_id": "1042", "message_id": "c-77", "message": "Where is my order?"}}'

the answer to it, which asks for the number; then the customer writes "#1001", and gets its tracking
  curl -sS {vendor}/_sim/tickets/1042
  curl -sS {vendor}/_sim/tickets/1042/comments -H 'content-type: application/json' \\
    -d '{{"id": "c-80", "body": "#1001"}}'
  curl -sS {url}/webhook/richpanel -H 'content-type: application/json' \\
    -H 'x-richpanel-webhook-token: {token}' -d '{{"ticket_id": "1042", "message_id": "c-80"}}'

a webhook with the ticket's id only; the worker reads the ticket
  curl -sS {url}/webhook/richpanel -H 'content-type: application/json' \\
    -H 'x-richpanel-webhook-token: {token}' \\
    -d '{{"ticket_id": "1043", "trigger": "customer_message"}}'

add a ticket without a webhook; reconciliation finds it within half a minute
  curl -sS {vendor}/_sim/tickets -H 'content-type: application/json' \\
    -d '{{"id": "2001", "comments": [{{"id": "c-1", "body": "Please cancel my order"}}]}}'

start a conversation, twice: it is sent once; then read its outcome
  {_START.format(url=url, key=company.API_KEY)}
  curl -sS {url}/conversations/req-1 -H 'x-api-key: {company.API_KEY}'

a reply of the recipient, which the model answers; delivery callbacks; all messages sent
  curl -sS {stack.twilio.url}/_sim/inbound -H 'content-type: application/json' \\
    -d '{{"from": "+15550100001", "to": "{company.SMS_NUMBER}", "body": "Tell me more"}}'
  curl -sS -X POST {stack.twilio.url}/_sim/callbacks
  curl -sS {stack.twilio.url}/_sim/messages

an Aloware call: six webhooks that make one fact
  {python} -m local.send aloware{port}
a HubSpot batch, sent twice
  {python} -m local.send hubspot --repeat 2{port}
facts per agent and day, as bars and as .run/facts.svg
  {python} -m local.chart

inspect it, in another terminal
  {python} -m local tables      ledger, conversation state, audit trail
  {python} -m local requests    what Richpanel received
  set -a; . {hints}; set +a          then every command of docs/runbook.md works there
  {python} -m ops explain 1042  when it arrived, what was decided and why, how each call ended
  curl -sS {vendor}/_sim    break Richpanel: 503, 429, dropped connections, ...

Ctrl-C stops everything; no data is kept.
"""
