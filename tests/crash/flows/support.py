"""Support: a ticket routed; answered from its linked order; asked for the number, then from Shopify."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from chalicelib.support import keys as ticket_keys
from chalicelib.support.effects import reference
from tests.crash.flow import STRAY, Arrival, Flow, Row, Step, Tick, http_event
from tests.crash.run import HORIZON_SECONDS, Run

TICKET = "1042"
EMAIL = "ada.canary@example.com"
CANARY = "canary-7f3b"
ORDER = "#77001"


class Ticket(Flow):
    """One ticket and its customer's comments."""

    secret_words = (CANARY, EMAIL, ORDER)

    def prepare(self, run: Run) -> None:
        run.rig.richpanel.add_ticket(TICKET, customer_email=EMAIL, customer_name="Ada")

    def says(self, run: Run, comment: str, text: str) -> Arrival:
        """The customer writes at the provider, which sends a webhook."""
        run.rig.richpanel.add_comment(TICKET, text, id=comment)
        body = {"ticket_id": TICKET, "message_id": comment, "message": text}
        headers = {"x-richpanel-webhook-token": run.stage.secrets.webhook_token}
        return Arrival(
            "api",
            lambda: http_event("/webhook/richpanel", headers, body),
            (ticket_keys.ticket_message(TICKET, comment),),
        )

    def landed(self, run: Run, actions: Mapping[str, Row]) -> Counter[str]:
        """Tags by their presence, the close by its change, replies by the reference they carry.

        A key's parts are percent-encoded (`once.keys`), as a tag may hold a colon.
        """
        tags = run.rig.richpanel.tags_of(TICKET)
        effects = [effect for effect in run.rig.richpanel.effects if effect.changed]
        comments = {
            comment["id"]: comment for comment in run.rig.richpanel.ticket(TICKET)["comments"]
        }
        replies = [
            comments[effect.value]["plain_body"] for effect in effects if effect.kind in _SPOKEN
        ]
        opaque = run.stage.opaque_ids
        found: Counter[str] = Counter()
        for key, row in actions.items():
            match row.get("action_kind"):
                case "add_tag":
                    found[key] = int(unquote(key.split(":")[3]) in tags)
                case "close":
                    found[key] = sum(effect.kind == "closed" for effect in effects)
                case "reply":
                    mine = [text for text in replies if reference(opaque, key) in text]
                    found[key] = len(mine)
                    replies = [text for text in replies if text not in mine]
        if replies:
            found[f"{STRAY}reply"] = len(replies)
        return found

    def repeated(self, run: Run) -> int:
        return sum(not effect.changed for effect in run.rig.richpanel.effects)


class Routed(Ticket):
    name = "support: routed"
    is_cold = True

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.says(run, "c-1", f"i want a refund, {CANARY}")]


class Notified(Ticket):
    """Two comments and a notification of each, without their ids: both share one read."""

    name = "support: two comments, two notifications"

    def steps(self, run: Run) -> Iterator[Step]:
        first = self.tells(run, "c-1", f"i want a refund, {CANARY}")
        run.advance(1)
        yield [first, self.tells(run, "c-2", f"refund please, {CANARY}")]

    def tells(self, run: Run, comment: str, text: str) -> Arrival:
        """The customer writes, and the webhook names only the ticket."""
        run.rig.richpanel.add_comment(TICKET, text, id=comment)
        body = {"ticket_id": TICKET, "trigger": f"customer_message {comment}"}
        headers = {"x-richpanel-webhook-token": run.stage.secrets.webhook_token}
        return Arrival(
            "api",
            lambda: http_event("/webhook/richpanel", headers, body),
            (ticket_keys.ticket_message(TICKET, comment),),
        )


class ReceivedAtTheDoor(Routed):
    """The same with a row written before the queue; only the door differs."""

    name = "support: routed, a row at the door"
    functions = ("api",)
    is_cold = False

    def variables(self, run: Run) -> Mapping[str, str]:
        del run
        return {"INGRESS_LEDGER": "true"}


class Answering(Ticket):
    """A deployment that may reply."""

    late: Sequence[str] = ("send-message",)

    def variables(self, run: Run) -> Mapping[str, str]:
        return {
            "RICHPANEL_OUTBOUND_ENABLED": "true",
            "MW_CLOSE_AFTER_REPLY": "true",
            "RICHPANEL_BOT_AGENT_ID": "bot-1",
            "MW_OUTBOUND_ALLOWLIST_DOMAINS": EMAIL.rpartition("@")[2],
            "SHOPIFY_BASE_URL": run.rig.proxy.url("shopify"),
        }


class AnsweredFromLinkedOrder(Answering):
    name = "support: answered from the linked order"

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        link_order(run)

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.says(run, "c-1", f"Where is my package? My email is {CANARY}@example.com")]


class AskedThenAnswered(Answering):
    """Two automatic replies: the second answers what the first asked for; the ticket is closed."""

    name = "support: asked, then answered from Shopify"

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        run.rig.shopify.add_order(ORDER, email=EMAIL, shipping="Standard")

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.says(run, "c-1", f"Where is my order? My email is {CANARY}@example.com")]
        yield [self.says(run, "c-2", f"It is {ORDER}")]


class TwoAtOnce(Answering):
    """One conversation, two questions at once: the order holds, and at most one is answered."""

    name = "support: two questions at once"

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        link_order(run)

    def steps(self, run: Run) -> Iterator[Step]:
        first = self.says(run, "c-1", f"Where is my package? My email is {CANARY}@example.com")
        run.advance(1)
        yield [first, self.says(run, "c-2", "Hello? Where is my package?")]


class SettledBySweep(AnsweredFromLinkedOrder):
    """A reply of unknown outcome that never landed: the sweep settles it, and it is sent."""

    name = "support: settled by the sweep"
    counted_from = 3

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        run.rig.richpanel.fault("drop", operation="send_message")

    def steps(self, run: Run) -> Iterator[Step]:
        yield from super().steps(run)
        for _ in range(2):
            run.advance(HORIZON_SECONDS)
            yield [Tick("reconcile")]


def link_order(run: Run) -> None:
    """Link an order in transit to the ticket."""
    run.rig.shopify.add_order("#9001", email=EMAIL, tracking={"number": "ZZ555", "company": "DHL"})
    run.rig.richpanel.link_order(TICKET, "shop", "9001", {"orderId": "9001"})


_SPOKEN = frozenset({"message", "comment"})
