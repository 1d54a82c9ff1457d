"""Every command of the how-to pages is typed, on a stage that has something of each kind."""

import re

import pytest

from tests.docs.blocks import DOCS, blocks
from tests.docs.newcomer import Shell
from tests.docs.reader import Reader
from tests.docs.typist import typist
from tests.outside.commands import Operator, own_environment
from tests.outside.running import running_stack

HOW_TO = [
    DOCS / name
    for name in re.findall(
        r"^\| \[[^\]]+\]\(([\w-]+\.md)\)",
        (DOCS / "index.md").read_text().split("## How to\n")[1].split("\n## ")[0],
        re.MULTILINE,
    )
]
ENDS_WITH_1 = {
    "ops doctor": "the stage has no alarms, which it says",
    "ops support-settings restore 3": "there are not so many versions",
    "ops support-settings put": "the example's team is at another Richpanel",
    "ops dlq show": "nothing was given up",
    "ops handoff reply": "its opening is still held",
    "ops support decision 1042": "nothing was decided in shadow",
    "ops support label 1042": "likewise",
    "ops facts correct": "the page's fact is not this stage's",
    "ops erase --again": "no one was erased since",
    "ops console revoke": "no one has signed in",
}
"""Commands that rightly end so on this stage."""
NOT_HERE = 12
"""Blocks that need an account of AWS or of a vendor."""
ELSEWHERE = {"openssl dgst": "tests/outside/test_outreach_signed_requests.py types it"}


@pytest.mark.long
def test_every_command_of_the_how_to_pages_does_what_it_should(tmp_path):
    failed, typed = {}, 0
    with running_stack(tmp_path) as stack:
        operator = Operator(stack.hints)
        shell = Shell(tmp_path, {**own_environment(), **stack.hints, "COLUMNS": "200"})
        reader = Reader(stack, tmp_path)
        with typist(operator, tmp_path) as function:
            shell.types(function)
            shell.types("openssl genpkey -algorithm ed25519 | openssl pkey -pubout > key.pem")
            for page in HOW_TO:
                reader.opens(page)
                for block in (one for one in blocks(page) if not one.way):
                    if any(word in "".join(block.commands) for word in ELSEWHERE):
                        continue
                    for command in block.commands:
                        status, said = shell.types(reader.fills(command))
                        typed += 1
                        if status > any(one in command for one in ENDS_WITH_1):
                            failed[f"{block} {command}"] = said[-500:]
        shell.ends()
        operator.close()
    assert failed == {}
    assert typed > 100


def test_hardly_anything_is_left_to_who_has_an_account():
    ways = [block.way for page in HOW_TO for block in blocks(page)]
    assert ways.count("aws") <= NOT_HERE
