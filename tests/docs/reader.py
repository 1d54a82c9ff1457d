"""What a reader has at hand when a page says `<ticket id>` or `<act:…>`: a stage with something of each kind.

Each place in a command gets a thing of its own, as most commands change what they are about.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.outside.aws import enqueue
from tests.outside.conversations import conversation
from tests.outside.running import FIRST, SECOND
from tests.outside.senders import aloware, call
from tests.outside.tickets import opens, order

if TYPE_CHECKING:
    from pathlib import Path

    from tests.outside.running import Running

PLACE = re.compile(r"<[^<>\n]+>")
_EXAMPLE = re.compile(r"^```(json|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"\b([a-z-]+)\.(toml|jsonl|json|pem)\b")


class Reader:
    """Fills the places of a page's commands in, and saves the page's own examples as files.

    Args:
        stack: of the outside tests, running.
        folder: where files of the reader's own are.
    """

    def __init__(self, stack: Running, folder: Path) -> None:
        self.stack, self.folder = stack, folder
        self._things = {
            "<ticket id>": self._ticket,
            "<what you have>": self._ticket,
            "<a phone number, an address or a ticket>": self._ticket,
            "<ticket id or company#request>": self._ticket,
            "<ticket number>": lambda: "1001",
            "<company>": lambda: FIRST.id,
            "<project>": lambda: FIRST.project,
            "<company#request>": lambda: f"{FIRST.id}#{self._start()}",
            "<item.json>": self._item,
            "<event>": self._event,
            "<act:…>": self._unknown,
            "<incident>": self._incident,
            "<message>": lambda: enqueue(stack, "events-dlq", "no job")[1],
            "<id>": self._held,
            "<name>": lambda: "Ana",
            "<person>": lambda: "Ana",
            "<answer>": lambda: "We call you at nine.",
            "<reason>": lambda: "21606",
            "<key>": self._fact,
            "<switch>": lambda: "safe_mode",
            "<true or false>": lambda: "false",
            "<address>": lambda: "night@example.com",
            "<backup>": lambda: "2026-11-20T09:00:00Z",
            "<key id>": self._signature_key,
            "<time>": lambda: "2027-02-01T09:00:00Z",
        }
        self._things_of = {
            ("ops dlq show", "<event>"): self._given_up,
            ("ops handoff reply", "<id>"): self._taken,
            ("ops journal", "<key>"): lambda: "switch:kill_switch",
            ("ops resend", "<act:…>"): self._sent,
        }

    def opens(self, page: Path) -> None:
        """Begin with a page: nothing is switched, and its examples are the files that it names."""
        self._switches_off()
        self.stack.tidy()
        text = page.read_text()
        named = {ending: name for name, ending in _FILE.findall("".join(_commands(text)))}
        for kind, example in _EXAMPLE.findall(text):
            for ending in ("toml",) if kind == "toml" else ("jsonl", "json"):
                if name := named.pop(ending, None):
                    one_line = example if kind == "toml" else json.dumps(json.loads(example))
                    (self.folder / f"{name}.{ending}").write_text(one_line)
                    break

    def fills(self, command: str) -> str:
        """The command with everything that the reader puts in, on the reader's own stage."""
        if (
            "company signature-key" in command or "company key" in command
        ):  # else the Router is shut out
            command = command.replace("<company>", SECOND.id)
        if "--with item.json" in command:
            self.stack.put_project(self.folder / "item.json", project_id=FIRST.project)
        things = self._things | {
            place: thing for (name, place), thing in self._things_of.items() if name in command
        }
        filled = PLACE.sub(lambda found: things[found[0]](), command)
        return filled.replace("--stage prod", "--stage dev")

    def _switches_off(self) -> None:
        for switch in ("kill_switch", "safe_mode", "shadow_mode"):
            self.stack.ops("switch", "set", switch, "false", "--yes")
        self.stack.forward(minutes=1)

    def _ticket(self) -> str:
        return opens(self.stack, "Where is my order?", order(self.stack).mail)

    def _start(self, **changes: object) -> str:
        answer = self.stack.start(self.stack.tel(), **changes)
        return str(answer.json()["request_id"])

    def _about(self, request_id: str) -> dict[str, object]:
        shown = self.stack.ops("explain", f"{FIRST.id}#{request_id}", "--json").data
        (event,) = shown["events"]
        return event

    def _event(self) -> str:
        body = {"code": 21606, "message": "not a number of this account", "status": 400}
        self.stack.twilio.fails(status=400, body=body)
        return str(self._about(self._start())["event"]["event_id"])

    def _unknown(self) -> str:
        self.stack.forward(minutes=6)
        self.stack.twilio.fails("status", operation="create_message", status=500)
        return str(self._about(self._start())["actions"][0]["event_id"])

    def _sent(self) -> str:
        self.stack.tidy()  # the page's incident may have left Twilio refusing our key
        return str(self._about(self._start())["actions"][0]["event_id"])

    def _given_up(self) -> str:
        self._switches_off()  # a page may just have set safe mode, in which nothing is given up
        self.stack.twilio.fails(status=401, times=None)
        request_id = self._start()
        self.stack.passes_until(
            lambda: self.stack.outcome(request_id)["state"] == "failed", minutes=20
        )
        self.stack.twilio.recovers()
        return str(self._about(request_id)["event"]["event_id"])

    def _incident(self) -> str:
        self.stack.twilio.fails(status=401, times=None)
        self._start()
        self.stack.forward(minutes=6)
        return str(self.stack.ops("incidents", "list", "--json").data[0]["incident"])

    def _fact(self) -> str:
        made = call(self.stack)
        aloware(self.stack, made)
        return f"ALOWARE:{made['id']}"

    def _held(self) -> str:
        project = self.stack.put_project(auto_queue_initial_message=True)
        return str(conversation(self.stack, self._start(of=project))["id"])

    def _taken(self) -> str:
        its_id = str(conversation(self.stack, self._start())["id"])
        self.stack.ops("handoff", "take", its_id, "--by", "Ana")
        return its_id

    def _item(self) -> str:
        self.stack.put_project(self.folder / "item.json")
        return str(self.folder / "item.json")

    def _signature_key(self) -> str:
        made = self.stack.ops("company", "signature-key", SECOND.id, "--json").data
        return str(made["key_id"])


def _commands(text: str) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
