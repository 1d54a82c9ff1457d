"""One running stack for all tests of a process."""

import pytest

from tests.outside.running import LOOP, running_stack


@pytest.fixture(scope="session")
def _stack(tmp_path_factory):
    with running_stack(tmp_path_factory.mktemp("stack")) as made:
        yield made
        stopped = {name for name, rounds in made.chains().items() if rounds >= LOOP}
        assert not stopped, "Lambda would have stopped a chain of functions and queues"


@pytest.fixture
def stack(_stack):
    """The stack in the middle of a working day, nothing broken; what earlier tests did is still there."""
    _stack.tidy()
    return _stack
