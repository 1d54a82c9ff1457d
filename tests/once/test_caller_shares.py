"""What one caller may ask of the doors."""

import pytest

from chalicelib.errors import OverShareError
from chalicelib.once.caller_shares import SHARES, STRANGERS, CallerShares, network_of
from chalicelib.once.door import Answer
from tests.rigs.fakes import ManualClock, RecordingLog

REFUSED = Answer(401, {"status": "error", "code": "UNAUTHORIZED"})
DONE = Answer(200, {"status": "done"})


@pytest.fixture
def log():
    return RecordingLog()


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def shares(clock, log):
    return CallerShares(clock=clock, log=log)


def refused_lines(log):
    def answering():
        log.event("ingress.request.rejected")
        log.metric("mw.ingress.rejected")
        return REFUSED

    return answering


def exhaust(shares, company="ci-flood", door="desk"):
    for _ in range(SHARES[door].at_once):
        shares.charge(door, company)


@pytest.mark.parametrize("door", SHARES)
def test_a_company_beyond_its_share_is_told_how_long_to_wait(shares, clock, door):
    exhaust(shares, door=door)
    with pytest.raises(OverShareError) as refused:
        shares.charge(door, "ci-flood")
    clock.forward(refused.value.retry_after_seconds)
    shares.charge(door, "ci-flood")


def test_one_companys_flood_refuses_no_other_and_no_other_door(shares):
    exhaust(shares)
    shares.charge("desk", "ci-other")
    shares.charge("register", "ci-flood")


def test_each_link_has_a_share_of_its_own(shares):
    for _ in range(SHARES["unsubscribe"].at_once):
        shares.charge("unsubscribe", "ci-1", link="a")
    shares.charge("unsubscribe", "ci-1", link="b")
    with pytest.raises(OverShareError):
        shares.charge("unsubscribe", "ci-1", link="a")


@pytest.mark.parametrize("door", [*SHARES, "richpanel"])
def test_over_its_share_is_429_with_the_seconds_to_wait_in_the_words_of_the_door(shares, door):
    def answering():
        raise OverShareError(7)

    answer = shares.answered(door, "192.0.2.1", answering)
    assert (answer.status, answer.headers) == (429, {"Retry-After": "7"})
    codes = {answer.body.get("error_code"), answer.body.get("code")}
    assert codes == {"RATE_LIMIT_EXCEEDED", None}


def test_a_stranger_is_refused_by_its_address_and_others_are_not(shares):
    answers = [
        shares.answered("desk", "192.0.2.1", lambda: REFUSED).status
        for _ in range(STRANGERS.at_once + 5)
    ]
    assert answers == [401] * STRANGERS.at_once + [429] * 5
    assert shares.answered("desk", "192.0.2.2", lambda: REFUSED).status == 401


def test_a_proven_request_never_pays_for_its_address(shares):
    for _ in range(STRANGERS.at_once + 5):
        shares.answered("desk", "192.0.2.1", lambda: REFUSED)
    assert [shares.answered("richpanel", "192.0.2.1", lambda: DONE) for _ in range(99)] == [
        DONE
    ] * 99
    assert shares.answered("desk", "192.0.2.1", lambda: REFUSED).status == 429


@pytest.mark.parametrize("status", [200, 202, 400, 403, 404, 409, 429, 500, 503])
def test_only_a_missing_proof_counts_against_an_address(shares, status):
    for _ in range(99):
        answer = shares.answered("desk", "192.0.2.1", lambda: Answer(status, {}))
        assert answer.status == status


def test_a_link_that_is_not_ours_counts(shares):
    page = Answer(404, {"html": "no"})
    answers = [shares.answered("unsubscribe", "192.0.2.1", lambda: page).status for _ in range(32)]
    assert answers == [404] * 30 + [429] * 2


def test_beyond_its_share_a_strangers_lines_are_counted_and_not_written(shares, clock, log):
    for _ in range(STRANGERS.at_once + 1000):
        shares.answered("desk", "192.0.2.1", refused_lines(log))
    assert log.names() == ["ingress.request.rejected"] * STRANGERS.at_once
    metric = ("mw.door.strangers_refused", 1, {"source": "desk"})
    assert log.metrics[STRANGERS.at_once :] == [metric]
    clock.forward(10)
    for _ in range(20):
        shares.answered("desk", "192.0.2.1", refused_lines(log))
    assert log.metrics[-1][:2] == ("mw.door.strangers_refused", 1000)


def test_a_proven_requests_lines_are_written_whatever_its_address_has_done(shares, log):
    for _ in range(STRANGERS.at_once + 5):
        shares.answered("desk", "192.0.2.1", lambda: REFUSED)

    def answering():
        log.event("ingress.accepted")
        return DONE

    shares.answered("richpanel", "192.0.2.1", answering)
    assert log.names() == ["ingress.accepted"]


def test_a_company_that_is_refused_is_shown_by_door_and_name_every_ten_seconds(shares, clock, log):
    exhaust(shares)
    for _ in range(100):
        with pytest.raises(OverShareError):
            shares.charge("desk", "ci-flood")
    clock.forward(0.01)
    clock.forward(10)
    exhaust(shares)
    with pytest.raises(OverShareError):
        shares.charge("desk", "ci-flood")
    assert [value for _, value, _ in log.metrics] == [1, 100]
    assert log.metrics[0][2] == {"source": "desk", "company": "ci-flood"}
    assert log.of("door.refused")[1]["times"] == 100


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::ffff", "2001:db8:1:3::/64"),
        ("", ""),
        ("rubbish", ""),
    ],
)
def test_a_stranger_is_an_ipv4_address_or_the_64_of_an_ipv6_address(address, network):
    assert network_of(address) == network
