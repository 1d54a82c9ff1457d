"""On one's own machine: loopback only, a link that works once, and acts as the person of AWS."""

import threading
import urllib.error
import urllib.request
from http.cookiejar import CookieJar

import pytest

from console import loopback
from tests.rigs.ops_session import session as offline_session


@pytest.fixture
def opened(clients):
    made = loopback.listen(offline_session(**clients), port=0, who="Operators/jo")
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def browser():
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))


def status(of, url, **headers):
    try:
        with of.open(urllib.request.Request(url, headers=headers), timeout=60) as answer:  # noqa: S310
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_it_listens_on_loopback_only(opened):
    assert opened.server.server_address[0] == "127.0.0.1"


def test_the_link_signs_in_once_and_without_it_nothing_is_shown(opened):
    start = opened.url.partition("/enter/")[0]
    jo, other = browser(), browser()
    assert status(other, start)[0] == 401
    assert status(other, f"{start}/enter/guess")[0] == 404
    code, text = status(jo, opened.url)
    assert code == 200
    assert "Operators/jo" in text
    assert status(jo, start)[0] == 200
    assert status(other, opened.url)[0] == 404
    assert status(other, start)[0] == 401


def test_a_foreign_name_that_leads_here_is_refused(opened):
    assert status(browser(), opened.url, Host="rebound.example")[0] == 421
    assert status(browser(), opened.url)[0] == 200, "and has not used up the link"


def test_a_port_that_is_taken_is_an_error_and_no_end_of_the_process(opened):
    with pytest.raises(OSError, match="in use"):
        loopback.listen(offline_session(), port=opened.server.port, who="Operators/jo")
