"""A model that hangs is left alone after two time-outs; another model of the key is still asked."""

import pytest

from chalicelib.errors import BreakerOpenError, PermanentError, TransientError
from chalicelib.vendors.breaker import FIRST_PAUSE_SECONDS, MODEL_OPEN, ModelBreakers
from chalicelib.vendors.language_model import ModelRequest, ModelTurn, with_fallback

SLOW = TransientError("acme", "respond", reason="timeout")
DOWN = TransientError("acme", "respond", status=503)


class Key:
    """A key's models; each answers with its name, or fails as a test says."""

    def __init__(self, clock):
        self.clock = clock
        self.breakers = ModelBreakers("acme", clock)
        self.fails = {}
        self.asked = []

    def ask(self, model, seconds):
        self.asked.append(model)
        self.clock.sleep(seconds if self.fails.get(model) is SLOW else 1)
        if model in self.fails:
            raise self.fails[model]
        return model

    def respond(self, model="big", fallback=None):
        request = ModelRequest(
            model=model,
            fallback_model=fallback,
            instructions="Greet.",
            turns=[ModelTurn("user", "Hi")],
            max_output_tokens=100,
        )
        return with_fallback(self.ask, request, 45.0, self.clock, self.breakers)


@pytest.fixture
def key(clock):
    return Key(clock)


def fail(key, times, error=SLOW, model="big"):
    key.fails[model] = error
    for _ in range(times):
        with pytest.raises(type(error)):
            key.respond(model)


def test_after_two_time_outs_a_model_is_not_asked(key):
    fail(key, 2)
    with pytest.raises(BreakerOpenError) as caught:
        key.respond()
    assert (caught.value.reason, len(key.asked)) == (MODEL_OPEN, 2)
    assert caught.value.retry_after <= FIRST_PAUSE_SECONDS


def test_another_model_of_the_key_and_another_key_are_asked(key, clock):
    fail(key, 2)
    assert key.respond("small") == "small"
    assert Key(clock).respond() == "big"


def test_the_fallback_answers_without_a_wait_while_the_first_is_left_alone(key):
    fail(key, 2)
    before = key.clock.monotonic()
    assert key.respond(fallback="small") == "small"
    assert key.clock.monotonic() - before == 1
    assert key.asked[2:] == ["small"]


@pytest.mark.parametrize("error", [DOWN, PermanentError("acme", "respond", status=400)])
def test_what_fails_at_once_holds_no_worker_and_opens_nothing(key, error):
    fail(key, 5, error)
    del key.fails["big"]
    assert key.respond() == "big"


def test_after_the_pause_one_message_tries_it(key):
    fail(key, 2)
    key.clock.forward(FIRST_PAUSE_SECONDS)
    fail(key, 1)
    key.clock.forward(FIRST_PAUSE_SECONDS)
    with pytest.raises(BreakerOpenError):
        key.respond()
    key.clock.forward(FIRST_PAUSE_SECONDS)
    del key.fails["big"]
    assert [key.respond(), key.respond()] == ["big", "big"]
    assert key.respond() == "big"
