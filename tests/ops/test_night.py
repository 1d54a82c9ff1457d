"""Nights: from the alarm to the explanation to the mend, with what the runbook says to type.

Each command that is run stands on the alarm's own page (or on one that it links to), so that a
page whose commands do not mend is as red as one that is missing.
"""

import importlib
import re
from pathlib import Path

import pytest
from ops_cli import runner
from pipeline_system import ROUTED, System
from test_ops_commands import _bury
from test_watching import alarms, series, series_in

from chalicelib import keys
from local.lambda_events import Context, schedule_event

PAGES = (Path(__file__).parents[2] / "docs" / "runbook.md").read_text()
DOWN = "connect_failed"


def section(title):
    """A page of the runbook, by the anchor of its heading."""
    for text in re.split(r"^##? ", PAGES, flags=re.MULTILINE)[1:]:
        heading, _, body = text.partition("\n")
        if heading.strip().lower().replace(" ", "-") == title:
            return body
    raise AssertionError(f"no page {title}")


class Night:
    """An operator who has an alarm's name, the runbook, and nothing else."""

    def __init__(self, system, capsys):
        self.system = system
        self._capsys = capsys
        self._run = runner(capsys)
        self._written = ""
        self._page = ""

    def hears(self, alarm):
        """The alarm rings: its very series was written; its page is opened."""
        self._written += self._capsys.readouterr().out
        assert series(alarms()[alarm]) in series_in(self._written), alarm
        self.opens(alarm)

    def opens(self, title):
        """A page, and those that it links to."""
        self._page = section(title)
        self._page += "".join(section(one) for one in re.findall(r"\(#([a-z-]+)\)", self._page))

    def types(self, *arguments, code=0):
        """Type a command of the page; its own words go in the place of the page's."""
        self._written += self._capsys.readouterr().out
        literal = [one for one in arguments if re.fullmatch(r"-*[a-z_-]+", one)]
        words = " ".join(literal[: 2 if arguments[0] in ("dlq", "switch") else 1])
        lines = re.findall(r"python -m ops ([^`\n]+)", PAGES[:600] + self._page)
        fitting = [line for line in lines if line.startswith(words)]
        assert fitting, f"the page does not say {words}"
        options = {one for one in arguments if one.startswith("--") and one != "--json"}
        assert any(options <= set(line.split()) for line in fitting), f"{words} {options}"
        said = self._run(*arguments)
        assert said.code == code, said
        return said


@pytest.fixture
def night(app, stage, richpanel, pump, capsys):
    return Night(System(app, stage, richpanel, pump), capsys)


def processed(system, ticket_id="1042"):
    row = system.event(ticket_id=ticket_id)
    return row["status"] == "processed" and set(ROUTED) <= system.richpanel.tags_of(ticket_id)


def put_secret(system, name, value):
    system.stage.aws.client("secretsmanager").put_secret_value(
        SecretId=f"rp-mw/dev/{name}", SecretString=value
    )


def new_containers(system):
    """Caches of secrets and switches are over."""
    importlib.import_module("chalicelib.wiring")._services.clear()
    system.services()


# --- vendors ------------------------------------------------------------------------------------


def test_richpanel_is_down(night):
    """worker-errors is Lambda's own metric: every job handed back is a failed invocation."""
    system = night.system
    system.post(system.ticket())
    system.richpanel.down()
    (failed,) = system.run()
    assert failed.error is not None
    night.opens("worker-errors")
    assert "not reachable" in night.types("doctor", code=1).out
    assert DOWN in night.types("explain", "evt:rp:1042:c-1").out
    system.richpanel.up()
    system.again()
    assert processed(system)


def test_richpanel_refuses_our_key(night):
    system = night.system
    system.post(system.ticket())
    system.richpanel.api_keys[:] = ["the-new-one"]
    system.run()
    night.hears("vendor-refuses-key")
    assert "API key is refused" in night.types("doctor", code=1).out
    put_secret(system, "richpanel/api_key", "the-new-one")
    system.again()
    assert processed(system)


def test_richpanel_says_that_we_ask_too_much(night):
    system = night.system
    system.post(system.ticket())
    system.richpanel.fault("status", operation="read_ticket", status=429)
    system.run()
    night.hears("vendor-rate-limits")
    assert "429" in night.types("explain", "evt:rp:1042:c-1").out
    system.again()
    assert processed(system)


def test_richpanel_does_not_let_us_list(night):
    system = night.system
    system.post(system.ticket())
    system.run()
    system.richpanel.set_modes(list_allowed=False)
    system.ticket("1043")
    assert system.app.reconcile(schedule_event(), Context(timeout_seconds=240))[
        "listing"
    ].startswith("forbidden")
    night.hears("listing-forbidden")
    number = system.richpanel.ticket("1042")["conversation_no"]
    night.types("reconcile", "--from-number", str(number), code=1)
    system.run()
    assert processed(system, "1043")


# --- the door -----------------------------------------------------------------------------------


def test_the_doors_secret_is_gone_and_webhooks_are_lost(night):
    system = night.system
    put_secret(system, "richpanel/webhook_token", " ")
    new_containers(system)
    assert system.post(system.ticket()).status_code == 500
    night.hears("ingress-failures")
    assert "richpanel/webhook_token" in night.types("doctor", code=1).out
    put_secret(system, "richpanel/webhook_token", system.token)
    night.types("reconcile", "--since", "24h")
    system.run()
    assert processed(system)


def test_a_token_was_changed_on_one_side_only(night):
    system = night.system
    body = system.ticket()
    for _ in range(2):
        assert system.post(body, token="the-new-one").status_code == 401
    night.hears("invalid-tokens")
    put_secret(
        system, "richpanel/webhook_token", f'{{"active_tokens": ["the-new-one", "{system.token}"]}}'
    )
    new_containers(system)
    assert system.post(body, token="the-new-one").status_code == 200
    night.types("reconcile")
    system.run()
    assert processed(system)


# --- the worker ---------------------------------------------------------------------------------


def test_a_message_was_given_up(night):
    system = night.system
    _bury(system, "1042")
    night.opens("dead-letters")
    (letter,) = night.types("dlq", "list", "--json").data
    shown = night.types("dlq", "show", letter["event"], "--json").data
    assert shown["reason"] == "dead_letter:richpanel_http_503"
    night.types("dlq", "redrive", "--dry-run")
    night.types("dlq", "redrive", "--rate", "1")
    system.run()
    assert processed(system)


def test_a_worker_died(night):
    system = night.system
    system.post(system.ticket())
    ledger = system.services().ledger

    def dies(*_arguments, **_how):
        raise SystemExit("killed")

    ledger.begin = dies
    with pytest.raises(SystemExit):
        system.run()
    del ledger.begin
    system.let_leases_end()
    system.again()
    night.hears("lease-takeovers")
    assert "processed" in night.types("explain", "1042").out
    assert processed(system)


def test_nobody_knows_whether_it_happened(night):
    """A person looks, and says so."""
    system = night.system
    system.post(system.ticket())
    system.run()
    key, table = keys.tag_action("1042", ROUTED[0], "c-1"), system.services().ledger._table
    table.update({"event_id": key}, set_={"status": "unknown", "unfinished": "unknown#0"})
    parked = {"status": "parked", "unfinished": "parked#0", "reason": "unknown:tag"}
    table.update({"event_id": "evt:rp:1042:c-1"}, set_=parked)
    night.opens("unfinished-age")
    (event,) = night.types("unfinished", "--json").data
    assert (event["status"], event["reason"]) == ("parked", "unknown:tag")
    assert key in night.types("explain", event["event"]).out
    assert night.types("settle", "--json").data[0]["action"] == key
    assert night.types("settle", key, "--json").data["saw"] == "cannot_be_asked"
    night.types("settle", key, "done")
    system.run()
    assert processed(system)
    assert night.types("unfinished", "--json").data == []


def test_nobody_has_reconciled(night):
    system = night.system
    system.ticket()
    night.opens("reconcile-silent")
    assert night.types("reconcile", "--dry-run", "--json").data["requeued"] == 1
    night.types("reconcile")
    system.run()
    assert processed(system)


def test_reconciliation_does_not_get_through(night):
    system = night.system
    system.ticket()
    system.richpanel.fault("status", operation="list_tickets", status=500, times=2)
    assert (
        system.app.reconcile(schedule_event(), Context(timeout_seconds=240))["listing"]
        != "complete"
    )
    night.hears("reconcile-incomplete")
    told = night.types("reconcile", "--dry-run", "--json", code=1).data
    assert told["listing"].startswith("interrupted:richpanel_")
    night.types("reconcile", "--since", "2h")
    system.run()
    assert processed(system)


# --- switches -----------------------------------------------------------------------------------


def test_a_switch_is_gone_and_everything_waits(night):
    system = night.system
    system.stage.aws.client("ssm").delete_parameter(Name="/rp-mw/dev/kill_switch")
    new_containers(system)
    system.post(system.ticket())
    system.run()
    night.opens("queue-age")
    assert "nothing starts" in night.types("doctor", code=1).out
    assert "missing" in night.types("switch", "get").out
    night.types("switch", "set", "kill_switch", "false")
    system.again()
    assert processed(system)


@pytest.mark.parametrize("switch", ["kill_switch", "shadow_mode"])
def test_a_switch_stopped_what_is_now_to_be_done(night, switch):
    system = night.system
    night.opens("starting-again-after-a-stop")
    night.types("switch", "set", switch, "true")
    new_containers(system)
    system.post(system.ticket())
    system.run()
    assert not system.added()
    assert switch.removesuffix("_mode") in night.types("explain", "1042").out
    night.types("switch", "set", switch, "false")
    new_containers(system)
    night.types("replay", "--status", "processed", "--since", "24h", "--rate", "1")
    system.run()
    assert processed(system)
