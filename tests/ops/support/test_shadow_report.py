"""`ops shadow-report`: what would have been done, what people did, and what happened after answers."""

import json

import pytest

from ops.session import Session
from ops.support import shadow_report
from ops.support.bounds import said, share
from tests.rigs.ops_cli import runner

STATUS = "Where is my order #100234?"
RETURNS = "route-returns-admin"
ROUTE = "route-email-support-team"


@pytest.fixture
def run(system, without_rate_limits, capsys):
    return runner(capsys)


@pytest.fixture
def in_shadow(system):
    system.switch("shadow_mode", "true")
    return system


def arrives(system, ticket_id, text, **more):
    system.post(system.ticket(ticket_id, text, **more))
    system.run()


def report(run, *options):
    found = run("shadow-report", "--rate", "1000", "--json", *options)
    assert found.code == 0, found.err
    return found.data


def row(rows, name):
    return next(found for found in rows if found["name"] == name)


def test_an_empty_stage_has_an_empty_report(run):
    found = report(run)
    assert (found["messages"], found["tickets"]["read"], found["sample"]) == (0, 0, [])
    assert found["switching_on"]["saves_at_most"]["share"] is None


def test_shadow_mode_shows_what_would_have_been_done(in_shadow, run):
    arrives(in_shadow, "1042", STATUS)
    arrives(in_shadow, "1043", "I want a refund")
    arrives(in_shadow, "1044", "My lawyer will hear of this")
    assert in_shadow.writes() == []

    found = report(run)

    assert (found["messages"], found["conversations"], found["is_sample"]) == (3, 3, False)
    status = row(found["intents"], "order_status_tracking")
    assert (status["messages"], status["could_be_answered"], status["withheld"]) == (1, 0, 1)
    assert found["reasons"]["shop_not_configured"] == 1, "the reason behind shadow"
    assert row(found["intents"], "refund_request")["could_be_answered"] == 0
    assert row(found["intents"], "legal_threat")["escalated"] == 1
    assert row(found["teams"], RETURNS)["messages"] == 1
    assert found["switching_on"]["saves_at_most"]["count"] == 0


def test_what_people_did_is_read_back(in_shadow, run):
    arrives(in_shadow, "1042", STATUS, tags=["route-sales-team"])
    arrives(in_shadow, "1043", "I want a refund", tags=[RETURNS])
    arrives(in_shadow, "1044", "I want a refund")

    found = report(run)

    assert found["tickets"]["read"] == 3
    assert found["tickets"]["in_no_department"] == 1
    otherwise = found["tickets"]["routed_otherwise"]
    assert (otherwise["count"], otherwise["of"]) == (1, 2)
    assert found["tickets"]["moves"] == [
        {"from": "route-email-support-team", "to": "route-sales-team", "tickets": 1}
    ]
    links = {sample["ticket"]: sample["link"] for sample in found["sample"]}
    assert links["1042"].endswith("#1042")


def test_it_reads_no_more_tickets_than_it_may_and_changes_none(in_shadow, run):
    for number in range(6):
        arrives(in_shadow, str(1100 + number), "I want a refund")
    in_shadow.richpanel.forget_calls()

    found = report(run, "--tickets", "4", "--conversations", "5")

    assert (found["conversations"], found["is_sample"]) == (5, True)
    assert [call.method for call in in_shadow.richpanel.calls] == ["GET"] * 4
    assert run("shadow-report", "--tickets", "500").code == 2


def test_the_report_holds_no_text(in_shadow, run):
    arrives(
        in_shadow,
        "1042",
        "Where is my order #100234? Ada Lovelace",
        customer_email="ada@example.com",
        customer_name="Ada Lovelace",
    )
    shown = json.dumps(report(run)) + run("shadow-report", "--rate", "1000").out
    for personal in ("100234", "Lovelace", "ada@example.com", "Where is"):
        assert personal not in shown


def test_messages_before_the_period_and_tickets_that_are_gone_are_left_out(in_shadow, run):
    arrives(in_shadow, "1042", "I want a refund")
    in_shadow.richpanel.reset()
    found = report(run)
    assert (found["messages"], found["tickets"]["unreadable"]) == (1, 1)
    assert report(run, "--since", "0m")["messages"] == 0


def test_live_routing_that_people_changed_is_counted(system, run):
    arrives(system, "1042", "I want a refund")
    arrives(system, "1043", "I want a refund")
    ticket = system.richpanel._tickets["1043"]
    ticket.tags[:] = ["route-sales-team", "mw-processed"]

    found = report(run)

    assert found["tickets"]["routed_otherwise"]["count"] == 1
    assert found["tickets"]["tagged_otherwise"]["count"] == 1
    assert row(found["intents"], "refund_request")["withheld"] == 0


class TestHarmAndGain:
    @pytest.fixture
    def app_environment(self, replies_environment):
        return {**replies_environment, "RICHPANEL_OUTBOUND_ENABLED": "false"}

    @pytest.fixture
    def asked(self, replies_rig, shopify):
        """Three customers ask about their orders, and none is answered."""
        for number in range(3):
            name, email = f"#{5001 + number}", f"ada{number}@example.com"
            shopify.add_order(name, email=email)
            question = f"Where is my order {name}?"
            replies_rig.run(replies_rig.ticket(question, str(1042 + number), customer_email=email))
        assert replies_rig.replies == []
        return replies_rig

    def test_what_people_did_is_harm_gain_or_not_known(self, asked, run):
        asked.richpanel.add_comment("1042", "It is on its way", operator=True, author_id="agent-7")
        asked.richpanel._tickets["1043"].tags[:] = ["route-returns-admin"]

        found = report(run)["shadow"]

        email = row(found["departments"], "route-email-support-team")
        assert (email["would_answer"], email["harm"]["count"], email["harm"]["of"]) == (3, 1, 2)
        assert (email["gain"]["count"], email["harms"]) == (1, {"other_team": 1})
        assert not email["may_be_switched_on"]
        assert row(found["intents"], "order_status_tracking")["would_answer"] == 3

    def test_a_department_may_be_switched_on_once_the_bound_of_its_harm_is_low(
        self, asked, run, tmp_path
    ):
        """Two answered likewise of two: the bound is 65.8 %."""
        for ticket in ("1042", "1043"):
            asked.richpanel.add_comment(ticket, "On its way", operator=True, author_id="agent-7")
        assert not row(report(run)["shadow"]["departments"], ROUTE)["may_be_switched_on"]
        document = tmp_path / "settings.toml"
        document.write_text("[answers]\nharm_limit = 0.7\ndepartments = []\n")
        assert run("support-settings", "put", str(document), "--yes").code == 0
        found = row(report(run)["shadow"]["departments"], ROUTE)
        assert (found["may_be_switched_on"], found["is_on"]) == (True, False)
        assert "may be" in run("shadow-report", "--rate", "1000").out

    @pytest.mark.usefixtures("asked")
    def test_a_label_is_counted_and_shows_harm(self, run):
        assert run("support", "label", "1042", "--wrong", "wrong_answer", "--yes").code == 0
        assert run("support", "label", "1043", "--right", "--yes").code == 0
        found = report(run)["shadow"]
        assert (found["labels"]["wrong_answer"], found["labels"]["right"]) == (1, 1)
        email = row(found["departments"], ROUTE)
        assert (email["harms"], email["gain"]["count"]) == ({"label:wrong_answer": 1}, 1)


class TestAfterAnswers:
    @pytest.fixture
    def app_environment(self, replies_environment):
        return replies_environment

    @pytest.fixture
    def answered(self, replies_rig, shopify):
        for number, ticket in enumerate(("1042", "1043", "1044")):
            email = f"ada{number}@example.com"
            shopify.add_order(
                f"#{5001 + number}",
                email=email,
                tracking={"number": "ZZ1", "url": "https://c.example/ZZ1", "company": "UPS"},
            )
            question = f"Where is my order #{5001 + number}?"
            replies_rig.run(replies_rig.ticket(question, ticket, customer_email=email))
        assert len(replies_rig.replies) == 3
        return replies_rig

    def found(self):
        session = Session("dev")
        since = "2020-01-01T00:00:00.000Z"
        return shadow_report.report(session, since=since, at_most=100, per_second=1000.0)

    def test_an_answer_that_settled_it_leaves_nothing_to_report(self, answered):
        assert answered
        quality = self.found()["quality"]
        assert (quality["answered"], quality["read"]) == (3, 3)
        assert quality["wrote_again"]["count"] == quality["complained"]["count"] == 0
        assert [week["read"] for week in quality["weeks"]] == [3]

    def test_complaints_and_moves_after_an_answer_are_counted(self, answered):
        answered.richpanel.add_comment("1042", "Thanks a lot")
        answered.richpanel.add_comment("1043", "This is fraud, my lawyer will sue you")
        tags = answered.richpanel._tickets["1044"].tags
        tags[tags.index("route-email-support-team")] = RETURNS

        found = self.found()

        quality = found["quality"]
        assert quality["wrote_again"]["count"] == 2
        assert quality["complained"]["count"] == 1
        assert quality["routed_otherwise"]["count"] == 1
        assert row(found["intents"], "order_status_tracking")["answered"] == 3
        assert found["reasons"] == {"answered": 3}

    @pytest.mark.parametrize(
        ("text", "is_complaint"),
        [
            ("Still nothing here, and nobody answers", True),
            ("my parcel never came. i want my money back", True),
            ("stop the robot, let me talk to a real person", True),
            ("Great, thank you so much!", False),
            ("Do you also sell it in blue?", False),
        ],
    )
    def test_a_complaint_is_what_the_service_takes_for_one(self, answered, text, is_complaint):
        answered.richpanel.add_comment("1043", text)
        quality = self.found()["quality"]
        assert quality["wrote_again"]["count"] == 1
        assert quality["complained"]["count"] == int(is_complaint)


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(0, 100, 0.0, 0.037), (3, 120, 0.0085, 0.0709), (100, 100, 0.963, 1.0)],
)
def test_a_share_has_the_bounds_of_wilsons_interval(count, total, low, high):
    found = share(count, total)
    assert found["low"] == pytest.approx(low, abs=5e-4)
    assert found["high"] == pytest.approx(high, abs=5e-4)
    assert said(found).startswith(f"{count} of {total} (")
