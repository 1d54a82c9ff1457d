"""Misbehaviour of a simulated vendor, as a client of the network sees it."""

import threading
import time

import pytest
import requests

from local.vendors.richpanel import API_KEY
from tests.rigs.soon import soon

HEADERS = {"x-richpanel-key": API_KEY}


@pytest.fixture
def session(richpanel):
    richpanel.add_ticket("1042", comments=["Hello"])
    with requests.Session() as made:
        made.headers.update(HEADERS)
        yield made


@pytest.fixture
def read(richpanel, session):
    return lambda **named: session.get(
        f"{richpanel.url}/v1/tickets/1042", **{"timeout": 60, **named}
    )


@pytest.fixture
def tag(richpanel, session):
    return lambda name="a", **named: session.put(
        f"{richpanel.url}/v1/tickets/1042/add-tags",
        json={"tags": [name]},
        **{"timeout": 60, **named},
    )


def test_a_fault_applies_to_its_number_of_requests_and_its_operation_only(richpanel, read, tag):
    richpanel.fault("status", operation="add_tags", status=503, times=2, skip=1)
    assert [tag().status_code for _ in range(4)] == [200, 503, 503, 200]
    assert read().status_code == 200


def test_a_status_fault_has_no_effect_and_returns_its_headers(richpanel, tag):
    richpanel.fault("status", status=429, headers={"Retry-After": "7"})
    answer = tag()
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "7")
    assert richpanel.tags_of("1042") == set()


def test_act_then_status_takes_effect_and_returns_an_error(richpanel, tag):
    richpanel.fault("act_then_status", status=500)
    assert tag().status_code == 500
    assert richpanel.tags_of("1042") == {"a"}


@pytest.mark.parametrize(("kind", "tags"), [("drop", set()), ("act_then_drop", {"a"})])
def test_a_dropped_connection_is_a_reset_before_or_after_the_effect(richpanel, tag, kind, tags):
    richpanel.fault(kind)
    with pytest.raises(requests.ConnectionError, match="reset"):
        tag()
    assert richpanel.tags_of("1042") == tags
    (call,) = richpanel.calls
    assert (call.status, call.acted, call.fault) == (None, bool(tags), kind)


@pytest.mark.parametrize(("kind", "tags"), [("hang", set()), ("act_then_hang", {"a"})])
def test_a_hanging_request_ends_by_the_clients_timeout(richpanel, tag, kind, tags):
    richpanel.fault(kind, seconds=30)
    with pytest.raises(requests.ReadTimeout):
        tag(timeout=0.2)
    assert soon(lambda: richpanel.tags_of("1042") == tags)


def test_a_delayed_response_is_correct_and_late(richpanel, tag):
    richpanel.fault("delay", seconds=0.2)
    started = time.monotonic()
    assert tag().status_code == 200
    assert time.monotonic() - started >= 0.2


def test_a_slow_request_lands_after_its_client_has_given_up(richpanel, tag):
    richpanel.fault("slow", seconds=3)
    with pytest.raises(requests.ReadTimeout):
        tag(timeout=0.1)
    assert richpanel.tags_of("1042") == set()
    assert soon(lambda: richpanel.tags_of("1042") == {"a"})


def test_a_trickled_body_never_trips_a_read_timeout(richpanel, read):
    richpanel.fault("trickle", seconds=0.2)
    answer = read(timeout=1.5, stream=True)
    assert len(answer.raw.read(10)) == 10
    answer.close()


def test_a_garbage_response_is_200_without_json(richpanel, tag):
    richpanel.fault("garbage")
    answer = tag()
    assert answer.status_code == 200
    with pytest.raises(requests.JSONDecodeError):
        answer.json()


def test_a_vendor_that_is_down_refuses_connections_and_comes_back_on_its_port(richpanel, read):
    assert read().status_code == 200
    port = richpanel.port
    richpanel.down()
    with pytest.raises(requests.ConnectionError):
        read()
    richpanel.up()
    assert richpanel.port == port
    assert read().status_code == 200


def test_the_limiter_counts_the_whole_account_and_sends_the_three_headers(richpanel, read):
    richpanel.set_modes(rate_limit=3, rate_window_seconds=300)
    answers = [read() for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["2", "1", "0", "0"]
    assert {answer.headers["X-RateLimit-Limit"] for answer in answers} == {"3"}
    assert 0 < int(answers[3].headers["Retry-After"]) <= 300
    richpanel.set_modes(rate_window_seconds=0.1)
    assert soon(lambda: read().status_code == 200)


def test_the_default_limit_is_fifty_requests_in_thirty_seconds(richpanel, read):
    assert [read().status_code for _ in range(51)] == [200] * 50 + [429]


def test_retry_after_can_be_missing_as_observed(richpanel, read):
    richpanel.set_modes(rate_limit=0, retry_after=False)
    answer = read()
    assert answer.status_code == 429
    assert "Retry-After" not in answer.headers
    assert "X-RateLimit-Limit" in answer.headers


def test_every_request_is_recorded_without_its_key(richpanel, tag, read):
    tag()
    read(params={"a": "b"})
    first, second = richpanel.calls
    assert (first.number, first.method, first.path, first.body, first.status, first.operation) == (
        1,
        "PUT",
        "/v1/tickets/1042/add-tags",
        {"tags": ["a"]},
        200,
        "add_tags",
    )
    assert second.query == {"a": "b"}
    assert abs(second.at_epoch - time.time()) < 60
    assert API_KEY not in repr(richpanel.calls)
    assert richpanel.count() == {"add_tags": 1, "read_ticket": 1}


def test_many_clients_at_once_lose_nothing(richpanel):
    richpanel.add_ticket("1042")
    richpanel.set_modes(rate_limit=None)

    def put(number):
        url = f"{richpanel.url}/v1/tickets/1042/add-tags"
        requests.put(url, json={"tags": [f"t{number}"]}, headers=HEADERS, timeout=60)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert richpanel.tags_of("1042") == {f"t{number}" for number in range(20)}
    assert len({call.number for call in richpanel.calls}) == 20


def test_another_process_controls_it_over_http(richpanel, read):
    admin = f"{richpanel.url}/_sim"
    assert "POST   /_sim/faults" in requests.get(admin, timeout=60).text
    fault = {"kind": "status", "operation": "read_ticket", "status": 503}
    assert requests.post(f"{admin}/faults", json=fault, timeout=60).status_code == 200
    assert requests.get(f"{admin}/faults", timeout=60).json()["faults"][0]["status"] == 503
    assert read().status_code == 503
    assert read().status_code == 200
    requests.patch(f"{admin}/modes", json={"list_allowed": False}, timeout=60)
    assert requests.get(f"{admin}/modes", timeout=60).json()["list_allowed"] is False
    listed = requests.get(f"{admin}/requests", params={"after": 1}, timeout=60).json()["requests"]
    assert [call["status"] for call in listed] == [200]
    requests.delete(f"{admin}/requests", timeout=60)
    assert richpanel.calls == ()
    requests.post(f"{admin}/reset", timeout=60)
    assert read().status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "faults", {"kind": "no such"}, 400),
        ("PATCH", "modes", {"no such": 1}, 400),
        ("POST", "tickets/none/comments", {"body": "x"}, 400),
        ("GET", "no-such", None, 404),
    ],
)
def test_an_invalid_control_request_is_refused_and_not_recorded(
    richpanel, method, path, body, status
):
    answer = requests.request(method, f"{richpanel.url}/_sim/{path}", json=body, timeout=60)
    assert answer.status_code == status
    assert richpanel.calls == ()


def test_json_without_its_content_type_is_refused(richpanel, session):
    url = f"{richpanel.url}/v1/tickets/1042/add-tags"
    assert session.put(url, data='{"tags": ["a"]}', timeout=60).status_code == 400
    assert richpanel.calls[-1].body == '{"tags": ["a"]}'
    assert richpanel.tags_of("1042") == set()


def test_used_up_faults_are_no_longer_listed(richpanel, tag):
    richpanel.fault("status", status=503)
    tag()
    assert requests.get(f"{richpanel.url}/_sim/faults", timeout=60).json() == {"faults": []}


def test_an_error_in_the_simulation_is_printed_but_no_client_disconnect(
    richpanel, tag, monkeypatch, capsys
):
    richpanel.fault("slow", seconds=3)
    with pytest.raises(requests.ReadTimeout):
        tag(timeout=0.05)
    assert soon(lambda: richpanel.count() == {"add_tags": 1})
    monkeypatch.setattr(richpanel, "answer", lambda *_: {}["a flaw"])
    with pytest.raises(requests.ConnectionError):
        tag()
    assert capsys.readouterr().err.count("Traceback") == 1
