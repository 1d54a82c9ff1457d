"""The switches: fresh within 30 seconds, tightened by the environment, unreadable as a whole."""

import pytest
from botocore.exceptions import EndpointConnectionError

from chalicelib.aws.switches import SsmSwitches
from chalicelib.errors import SwitchesUnreadableError
from chalicelib.once.ports import Switches, Tightening
from tests.rigs.fakes import ManualClock


class Ssm:
    """SSM as far as it is asked: names to texts, or out of reach."""

    def __init__(self):
        self.asked = 0
        self.values = {
            "kill_switch": "false",
            "safe_mode": "off",
            "automation_enabled": "TRUE",
            "shadow_mode": "0",
        }

    def get_parameters(self, Names):  # noqa: N803 - the SDK's own spelling
        self.asked += 1
        if self.values is None:
            raise EndpointConnectionError(endpoint_url="http://127.0.0.1")
        found = {name: self.values.get(name.rpartition("/")[2]) for name in Names}
        return {"Parameters": [{"Name": n, "Value": v} for n, v in found.items() if v is not None]}


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def ssm():
    return Ssm()


def switches(ssm, clock, **forced):
    return SsmSwitches(ssm, "/rp-mw/dev", Tightening(**forced), clock)


def test_switches_are_cached_for_fifteen_seconds(ssm, clock):
    read = switches(ssm, clock)
    assert read.current() == Switches(automation_enabled=True)
    read.current()
    assert ssm.asked == 1
    clock.forward(14)
    read.current()
    assert ssm.asked == 1
    clock.forward(1)
    read.current()
    assert ssm.asked == 2


def test_a_flip_is_seen_within_thirty_seconds(ssm, clock):
    """P5."""
    read = switches(ssm, clock)
    read.current()
    ssm.values["kill_switch"] = "true"
    clock.forward(30)
    assert read.current().kill_switch


def test_a_short_outage_is_bridged_and_a_long_one_is_not(ssm, clock):
    """F40: nothing starts on a value that is older than thirty seconds when it has started."""
    read = switches(ssm, clock)
    read.current()
    ssm.values = None
    clock.forward(24)
    assert read.current() == Switches(automation_enabled=True)
    clock.forward(2)
    with pytest.raises(SwitchesUnreadableError):
        read.current()


def test_the_duration_of_a_failed_read_counts_towards_the_switches_age(ssm, clock):
    read = switches(ssm, clock)
    read.current()
    ssm.values = None
    clock.forward(20)
    ask = ssm.get_parameters

    def slow(**names):
        clock.forward(10)
        return ask(**names)

    ssm.get_parameters = slow
    with pytest.raises(SwitchesUnreadableError):
        read.current()


def test_the_duration_of_a_read_counts_towards_the_switches_age(ssm, clock):
    """A worker paused during the response knows only the values before it."""
    read = switches(ssm, clock)
    ask = ssm.get_parameters

    def slow(**names):
        answer = ask(**names)
        clock.forward(25)
        return answer

    ssm.get_parameters = slow
    with pytest.raises(SwitchesUnreadableError, match="stale"):
        read.current()
    ssm.get_parameters = ask
    assert read.current() == Switches(automation_enabled=True)


@pytest.mark.parametrize("name", ["kill_switch", "safe_mode", "automation_enabled", "shadow_mode"])
@pytest.mark.parametrize("value", [None, "", "perhaps"])
def test_one_missing_or_odd_parameter_makes_the_set_unreadable(ssm, clock, name, value):
    ssm.values[name] = value
    with pytest.raises(SwitchesUnreadableError, match=name):
        switches(ssm, clock).current()


def test_the_environment_may_only_tighten(ssm, clock):
    forced = switches(
        ssm, clock, kill_switch=True, safe_mode=True, shadow_mode=True, automation_off=True
    )
    assert forced.current() == Switches(
        kill_switch=True, safe_mode=True, automation_enabled=False, shadow_mode=True
    )
    ssm.values["kill_switch"] = "true"
    assert switches(ssm, clock).current().kill_switch
