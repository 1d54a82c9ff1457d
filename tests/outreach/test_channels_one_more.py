"""A channel is added at the places that the page lists, and works: no other place knows the channels."""

import os
import subprocess
import sys

import pytest

from tests.rigs import grown

PYTEST = ("-m", "pytest", "-n0", "-p", "no:cacheprovider", "--show-capture=no")
OF_ALL = ("tests/outreach/test_channels_alike.py", "tests/house/test_channels.py")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A copy of the tree to which a channel, pigeons, was added."""
    to = tmp_path_factory.mktemp("grown") / "tree"
    grown.grow(to)
    return to


def run(folder, *command):
    """Run Python in a tree; fails where a test fails, and where none was found."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout


def test_it_is_opened_answered_reported_and_stopped_like_any_other(folder):
    run(folder, *PYTEST, "tests/outreach/pigeon")


def test_it_gives_what_every_channel_gives_and_no_other_module_names_it(folder):
    chosen = "pigeon or every or no_other or no_two or describ"
    assert "pigeon" in run(folder, *PYTEST, *OF_ALL, "-k", chosen, "-rA")


def test_nothing_is_left_of_it_here():
    known = run(
        grown.ROOT,
        "-c",
        "from chalicelib.outreach import channels; from chalicelib.outreach.sending import effects;"
        " print(*channels.Channel, *channels.Carrier, *effects.KINDS)",
    )
    assert "sms" in known
    assert "pigeon" not in known
