"""Forms in which people paste what they have of a message.

Each function gives forms of one identifier, from the ways in which pages, mail programs, phones, chats
and log viewers show it. They were written without knowledge of the code that reads pasted texts.
"""

import json
import re
from urllib.parse import quote

RIGHT_TO_LEFT, POP, NO_BREAK, HYPHEN, EN_DASH, ZERO_WIDTH = (
    "\u202a",
    "\u202c",
    "\u00a0",
    "\u2011",
    "\u2013",
    "\u200b",
)


def surrounded(text):
    """Any identifier with what is copied along with it."""
    return [
        text,
        f"  {text}\n",
        f'"{text}"',
        f"'{text}'",
        f"`{text}`",
        f"({text})",
        f"[{text}]",
        f"<{text}>",
        f"“{text}”",
        f"{text}.",
        f"{text},",
        f"{text}?",
        f"{ZERO_WIDTH}{text}{ZERO_WIDTH}",
        f"\r\n{text}\r\n\r\n",
        f"please look at {text}, it was not answered",
        f"> {text}",
        f"*{text}*",
    ]


def ticket(number):
    """A Richpanel ticket."""
    return [
        *surrounded(number),
        f"#{number}",
        f"Ticket #{number}",
        f"ticket {number}",
        f"Ticket: {number}",
        f"ticket_id={number}",
        f'"ticket_id": "{number}",',
        f'{{"ticket_id": "{number}"}}',
        f"№ {number}",
        f"Conversation No. {number}",
        f"RP-{number}",
        f"https://app.richpanel.com/conversations?ticket_id={number}",
        f"https://app.richpanel.com/conversations/{number}",
        f"https://app.richpanel.com/conversations/{number}/",
        f"https://app.richpanel.com/tickets/{number}?view=all#reply",
        f"app.richpanel.com/conversations/{number}",
        f"[the ticket](https://app.richpanel.com/conversations/{number})",
        f"/v1/tickets/{number}",
    ]


def tel(e164):
    """A phone number of North America as E.164, e.g. `+15550100003`."""
    digits = e164.removeprefix("+")
    area, exchange, line = digits[1:4], digits[4:7], digits[7:]
    return [
        *surrounded(e164),
        digits,
        digits[1:],
        f"({area}) {exchange}-{line}",
        f"(1) {area}-{exchange}-{line}",
        f"1-{area}-{exchange}-{line}",
        f"{area}.{exchange}.{line}",
        f"{area}-{exchange}-{line}",
        f"{area} {exchange} {line}",
        f"+1 {area} {exchange} {line}",
        f"+1 ({area}) {exchange}-{line}",
        f"+1{NO_BREAK}{area}{NO_BREAK}{exchange}{NO_BREAK}{line}",
        f"+1 {area}{HYPHEN}{exchange}{HYPHEN}{line}",
        f"+1 {area}{EN_DASH}{exchange}{EN_DASH}{line}",
        f"+1/{area}/{exchange}{line}",
        f"001 {area} {exchange} {line}",
        f"00{digits}",
        f"011 1 {area} {exchange} {line}",
        f"tel:{e164}",
        f"sms:{e164}",
        f"whatsapp:{e164}",
        quote(e164),
        quote(f"whatsapp:{e164}", safe=""),
        f"From=whatsapp%3A%2B{digits}&To=",
        f"{RIGHT_TO_LEFT}+1 ({area}) {exchange}-{line}{POP}",
        "".join(chr(ord(sign) + 0xFEE0) if sign.isdigit() else sign for sign in e164),
        f"Jo Miller {e164}",
        f"Jo: +1 ({area}) {exchange}-{line}",
        f"TEL;TYPE=CELL:{e164}",
        f"https://wa.me/{digits}",
        f"https://api.whatsapp.com/send?phone={digits}",
        f"Phone: {area}-{exchange}-{line} (mobile)",
    ]


def mail(address):
    """An e-mail address."""
    name, _, domain = address.partition("@")
    return [
        *surrounded(address),
        address.upper(),
        f"{name}@{domain.capitalize()}",
        f"Jo Miller <{address}>",
        f'"Miller, Jo" <{address}>',
        f"mailto:{address}",
        f"mailto:{address}?subject=Hello%20there",
        f"To: Jo <{address}>",
        f"{address};",
        quote(address, safe=""),
        f"Jo wrote from {address}, yesterday",
        f"[{address}](mailto:{address})",
        f"email={quote(address, safe='')}&x=1",
        f'{{"recipient_email": "{address}"}}',
    ]


def request(company, request_id, conversation_id, opaque, url, console):
    """A conversation, by what the Router, the company and the desk hold of it."""
    return [
        *surrounded(f"{company}#{request_id}"),
        f"{company} {request_id}",
        f"{company}/{request_id}",
        f"{company} # {request_id}",
        f"request_id: {request_id}, company_id: {company}",
        json.dumps({"company_id": company, "request_id": request_id}),
        json.dumps(
            {"company_data": {"company_id": company}, "request_data": {"request_id": request_id}}
        ),
        *surrounded(conversation_id),
        quote(conversation_id, safe=""),
        json.dumps(
            {"status": "success", "request_id": request_id, "conversation_id": conversation_id}
        ),
        *surrounded(opaque),
        opaque.upper(),
        f"{url}/desk/conversations/{opaque}",
        f"GET /desk/conversations/{opaque} HTTP/1.1",
        f"POST /desk/conversations/{opaque}/acts",
        f"{console}/conversation/{opaque}",
    ]


def alone(request_id, url):
    """A request without its company: the Router's own look at it, or just its id."""
    return [
        request_id,
        f"{url}/conversations/{request_id}",
        f"/conversations/{request_id}/messages",
        f'"request_id":"{request_id}"',
        f"X-Request-Id: {request_id}",
    ]


def sid(own, account):
    """A message at Twilio."""
    digits = own[2:]
    return [
        *surrounded(own),
        own.lower(),
        own[:2] + digits.upper(),
        f"MM{digits}",
        digits,
        f"MessageSid={own}&SmsStatus=delivered",
        f'"sid": "{own}",',
        f"/2010-04-01/Accounts/{account}/Messages/{own}.json",
        f"https://api.twilio.com/2010-04-01/Accounts/{account}/Messages/{own}.json",
        f"https://api.twilio.com/2010-04-01/Accounts/{account}/Messages/{own}/Media/ME{'0' * 31}1",
        f"https://console.twilio.com/us1/monitor/logs/sms/{account}?sid={own}",
        f"https://console.twilio.com/us1/monitor/logs/sms?frameUrl=%2Fconsole%2Fsms%2Flogs%2F{account}%2F{own}",
        f"https://www.twilio.com/console/sms/logs/{account}/{own}?x=1",
    ]


def ses(message_id):
    """A message at SES, with and without its domain."""
    return [
        *surrounded(message_id),
        f"<{message_id}@us-east-1.amazonses.com>",
        f"{message_id}@email.amazonses.com",
        f"Message-ID: <{message_id}@us-east-1.amazonses.com>",
        f'"messageId":"{message_id}"',
        f"X-SES-Outgoing: 2026.11.30-54.240.0.1\nMessage-ID: <{message_id}@us-east-1.amazonses.com>",
    ]


def reply(message_id):
    """A reply by e-mail, by its Message-ID."""
    bare = message_id.strip("<>")
    return [
        bare,
        f"<{bare}>",
        f"Message-ID: <{bare}>",
        f"In-Reply-To: <{bare}>",
        f"message-id:{bare}",
    ]


def headers(mail_sent):
    """What a recipient's mail program shows of one of our e-mails."""
    listed = mail_sent["headers"]["List-Unsubscribe"]
    link = re.search("<(https[^>]+)>", listed)[1]
    return [
        link,
        f"<{link}>",
        f"List-Unsubscribe: {listed}",
        listed,
        f"Unsubscribe from our messages.\n{link}",
        link.partition("/unsubscribe/")[2],
        mail_sent["reply_to"],
        f"Reply-To: {mail_sent['reply_to']}",
        mail_sent["reply_to"].upper(),
    ]


def key(own):
    """A key of an event or an effect."""
    return [
        *surrounded(own),
        quote(own, safe=""),
        f"idempotency_key={own}",
        f"event_id: {own}",
        json.dumps({"event_id": own}),
        json.dumps({"status": "accepted", "event_id": own}),
        f"python -m ops explain {own}",
        f"{own}\n{own}",
    ]


def trace(own):
    """A trace of the logs, as log viewers and X-Ray show it."""
    return [
        *surrounded(own),
        own.upper(),
        f"mw_trace_id={own}",
        f'"mw_trace_id":"{own}"',
        f'filter mw_trace_id = "{own}"',
        f"mw_trace_id: {own} level: INFO",
        json.dumps(json.dumps({"mw_trace_id": own})),
    ]


def line(own):
    """A line of the log, as log viewers give it."""
    parsed = json.loads(own)
    return [
        *surrounded(own)[:2],
        f"2026-11-30T15:00:06.205Z\t{own}",
        f"[INFO]\t2026-11-30T15:00:06.205Z\t{own}",
        f"2026/11/30/[$LATEST]0123456789abcdef0123456789abcdef {own}",
        json.dumps(parsed, indent=2),
        json.dumps({"@timestamp": "2026-11-30 15:00:06.205", "@message": own}),
        own.replace('"', '""'),
        f"{own}\n{own}",
    ]


def event_of_company(own):
    """An event that a company got, whole or its id."""
    return [*surrounded(own["id"]), json.dumps(own), f"webhook-id: {own['id']}"]


def message_of_company(own):
    """A message as the Router reads it."""
    return [own["id"], json.dumps(own), f'"message_id": "{own["id"]}"']


def fact(number):
    """A communication at Aloware."""
    return [
        *surrounded(f"ALOWARE:{number}"),
        f"aloware:{number}",
        str(number),
        f"https://app.aloware.com/communications/{number}",
        f'"id": {number},',
        json.dumps({"event": "OutboundPhoneCall-DispositionCompleted", "body": {"id": number}}),
        f"Aloware {number}",
    ]


def order(name):
    """An order of the shop."""
    return [
        name,
        name.removeprefix("#"),
        f"Order {name}",
        f"order {name}.",
        f'"{name}"',
        f"order no. {name[1:]}",
    ]
