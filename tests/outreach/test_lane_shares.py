"""What takes a share of a lane: a company's model and sends, an endpoint's posts, each in a worker's job."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

from chalicelib.errors import PacedError
from chalicelib.once.current_job import CurrentJob
from chalicelib.once.lanes import COMPANIES, EMAIL, OUTREACH
from chalicelib.once.share import Expected
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.company_events.event_names import TELLS, EventName
from chalicelib.outreach.lane_shares import LaneShares, share_of_call
from tests.rigs.conversation_samples import new


class Held:
    """One lane's share; notes what is held, and refuses where a test says so."""

    def __init__(self, lane, taken):
        self._lane, self._taken = lane, taken

    def calling(self, key, _deadline_seconds, *, job, expected):
        if self._taken is None:
            raise PacedError("lane", self._lane.name, 30.0)
        self._taken.append((self._lane, key, job, expected))
        return nullcontext()


@pytest.fixture
def taken():
    return []


@pytest.fixture
def turn():
    return CurrentJob()


@pytest.fixture
def shares(taken, turn):
    return LaneShares(lambda lane: Held(lane, taken), turn)


def endpoint(shares, *, is_failing=False):
    return shares.of_endpoint("ci-1", "p", 10, is_failing=is_failing)


def record(channel, company_id="ci-1"):
    return SimpleNamespace(channel=channel, company_id=company_id)


def test_a_company_has_one_share_of_each_lane(shares, taken, turn):
    with turn.working_on(turns=0, age_seconds=0):
        for channel in (Channel.SMS, Channel.WHATSAPP, Channel.EMAIL):
            with share_of_call(shares, record(channel), 20):
                pass
        with share_of_call(shares, record(Channel.SMS, "ci-2"), 20), endpoint(shares):
            pass
    assert [lane for lane, *_ in taken] == [OUTREACH, OUTREACH, EMAIL, OUTREACH, COMPANIES]
    assert len({key for _, key, *_ in taken}) == 3
    assert "ci-1" not in str(taken)


def test_a_jobs_calls_say_whose_they_are(shares, taken, turn):
    for _ in range(2):
        with turn.working_on(turns=0, age_seconds=0):
            for _ in range(2):
                with share_of_call(shares, record(Channel.SMS), 20):
                    pass
    jobs = [job for _, _, job, *_ in taken]
    assert jobs[0] == jobs[1] != jobs[2] == jobs[3]


def test_only_a_send_is_expected_to_be_quick(shares, taken, turn):
    with turn.working_on(turns=0, age_seconds=0):
        for is_send in (True, False):
            with share_of_call(shares, record(Channel.SMS), 20, is_send=is_send):
                pass
        with endpoint(shares):
            pass
    assert [expected for *_, expected in taken] == [Expected.QUICK, Expected.SLOW, Expected.SLOW]


def test_an_endpoint_that_fails_at_present_is_known_to(shares, taken, turn):
    with turn.working_on(turns=0, age_seconds=0):
        for is_failing in (True, False):
            with endpoint(shares, is_failing=is_failing):
                pass
    assert [expected for *_, expected in taken] == [Expected.FAILING, Expected.SLOW]


def test_an_operators_command_holds_no_worker(shares, taken):
    with (
        share_of_call(shares, record(Channel.SMS), 20),
        share_of_call(None, record(Channel.SMS), 20),
    ):
        pass
    assert taken == []


def test_an_event_whose_endpoint_has_its_share_comes_later_and_is_posted_once(
    telling, endpoint, monkeypatch
):
    telling.company(endpoint.url)
    conversation = telling.open({**new(channel="sms"), TELLS: True})
    lanes = LaneShares(lambda lane: Held(lane, None), turn := CurrentJob())
    access = replace(telling.teller._access, shares=lanes)
    monkeypatch.setattr(telling.teller, "_access", access)
    with turn.working_on(turns=0, age_seconds=0):
        telling.events.record(conversation, EventName.ACCEPTED, "once")
        telling.run()
    assert endpoint.attempts == []
    telling.forward(60)
    assert endpoint.types == ["accepted"]
    assert len(endpoint.attempts) == 1
