"""From an alarm's text to mended by paste alone: only what the text, its page or an answer prints."""

import re
import shlex

import pytest

from chalicelib.once.causes import CAUSE
from local.stack.lambda_events import LambdaContext, schedule_event
from tests.rigs.alarms import alarms
from tests.rigs.operator import new_containers, section
from tests.rigs.ops_cli import runner
from tests.rigs.tickets import ROUTED, RoutingSystem, put_dead_letter

COMMAND = re.compile(r"python -m ops ([^`\n]*?)(?=[`\n]|\. |$)")
MOST = 12
TICKET = "1042"


class Hand:
    """Pastes what it is shown, once each, in the order in which it is shown.

    Attributes:
        pasted: every command.
    """

    def __init__(self, capsys):
        self._run, self.pasted = runner(capsys), []

    def follows(self, alarm):
        """Paste what an alarm's text names, or else its page; then what each answer names."""
        text = alarms()[alarm]["AlarmDescription"]
        shown = _whole(text) or _whole(
            _blocks(section(re.search(r"runbook[a-z-]*\.md#([a-z-]+)", text)[1]))
        )
        assert shown, f"{alarm} leads to no command"
        while waiting := [command for command in shown if command not in self.pasted]:
            assert len(self.pasted) < MOST, self.pasted
            shown += _whole(self.pastes(waiting[0]))

    def pastes(self, command):
        """Paste a line; a question is answered with yes."""
        self.pasted.append(command)
        said = self._run(*shlex.split(command), typed="y\n")
        if "--yes" in said.err:  # a terminal would have asked
            said = self._run(*shlex.split(command), "--yes")
        assert said.code == 0, (command, said)
        return said.out


def _blocks(page):
    return "\n".join(re.findall(r"```sh\n(.*?)```", page, flags=re.DOTALL))


def _whole(text):
    """The commands of a text that are whole: nothing in them is to be filled in."""
    return [command for command in COMMAND.findall(text) if not re.search(r"[<…]", command)]


@pytest.fixture
def system(app, without_rate_limits, stage, richpanel, pump):
    return RoutingSystem(app, stage, richpanel, pump)


@pytest.fixture
def hand(system, capsys):
    return Hand(capsys)


def new_cause(system):
    """Richpanel was down for a while; the sweep has opened an incident."""
    system.post(system.ticket(TICKET))
    system.richpanel.down()
    system.run()
    key = {"event_id": f"evt:rp:{TICKET}:c-1"}
    table = system.services().ledger._table
    cause = table.get(key)[CAUSE].partition("#")[0]
    table.update(key, set_={CAUSE: f"{cause}#2026-01-01T00:00:00.000Z"})
    system.app.reconcile(schedule_event(), LambdaContext(timeout_seconds=240))
    system.richpanel.up()
    new_containers()


def given_up(system):
    put_dead_letter(system, TICKET)


def parked(system):
    """A worker died at an effect, and a switch kept the next one from repeating it."""
    system.post(system.ticket(TICKET))
    ledger = system.services().ledger

    def dies(*_, **__):
        raise SystemExit("killed")

    ledger.end_actions = dies
    with pytest.raises(SystemExit):
        system.run()
    del ledger.end_actions
    system.let_leases_end()
    system.switch("kill_switch", "true")
    system.again()
    assert system.event()["status"] == "parked"
    system.switch("kill_switch", "false")
    new_containers()


def vendor_was_down(system):
    system.post(system.ticket(TICKET))
    system.richpanel.down()
    system.run()
    system.richpanel.up()
    new_containers()


def switched_off(system):
    system.switch("kill_switch", "true")
    new_containers()
    system.post(system.ticket(TICKET))
    system.run()


def lost(system):
    """Its webhook never came, and no run of the sweep looked for it."""
    system.ticket(TICKET)


ALARMS = {
    "incident-opened": new_cause,
    "dead-letters": given_up,
    "parked-events": parked,
    "unfinished-age": new_cause,
    "richpanel-down": vendor_was_down,
    "switch-left-on": switched_off,
    "reconcile-silent": lost,
}


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_leads_to_mended_by_paste_alone(system, hand, alarm):
    ALARMS[alarm](system)
    hand.follows(alarm)
    new_containers()
    system.run()
    if system.event()["status"] != "processed":  # SQS brings the first message again by itself
        system.again()
    assert system.event()["status"] == "processed"
    assert set(ROUTED) <= system.richpanel.tags_of(TICKET)
    assert "0 incidents" in hand.pastes("incidents list")
