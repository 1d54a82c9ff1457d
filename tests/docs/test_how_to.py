"""Every command of the how-to pages is typed, on a stage that has something of each kind."""

import re
from collections import Counter

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
    "not-done --reason": "its request may still arrive, so it is refused, as the page says",
    "ops support decision 1042": "nothing was decided in shadow",
    "ops support label 1042": "likewise",
    "ops facts correct": "the page's fact is not this stage's",
    "ops erase --again": "no one was erased since",
    "ops console revoke": "no one has signed in",
}
"""Commands that rightly end so on this stage."""
NOT_TYPED = {"aws": 15, "long": 3, "serve": 1}
"""Blocks that need an account of AWS, that `test_commands` types, and that keep their terminal."""
ELSEWHERE = {
    "openssl dgst": "tests/outside/test_outreach_signed_requests.py types it",
    "ops resend": "tests/ops/repair/test_commands.py types it: what is resent must be at rest",
}


def _typed(page):
    """A page's blocks that are typed here."""
    plain = [block for block in blocks(page) if not block.way]
    return [
        block for block in plain if not any(word in "".join(block.commands) for word in ELSEWHERE)
    ]


PAGES = [page for page in HOW_TO if _typed(page)]


@pytest.fixture(scope="module")
def hands(tmp_path_factory):
    """A shell on a running stage, and a reader who knows what to put in."""
    folder = tmp_path_factory.mktemp("reader")
    with running_stack(folder) as stack:
        operator = Operator(stack.hints)
        shell = Shell(folder, {**own_environment(), **stack.hints, "COLUMNS": "200"})
        try:
            with typist(operator, folder) as function:
                shell.types(function)
                shell.types("openssl genpkey -algorithm ed25519 | openssl pkey -pubout > key.pem")
                yield shell, Reader(stack, folder)
        finally:
            shell.ends()
            operator.close()


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_a_how_to_page_does_what_it_should(hands, page):
    shell, reader = hands
    reader.opens(page)
    failed = {}
    for block in _typed(page):
        for command in block.commands:
            status, said = shell.types(reader.fills(command))
            if status > any(part in command for part in ENDS_WITH_1):
                failed[f"{block} {command}"] = said[-500:]
    assert failed == {}


def test_hardly_anything_is_left_to_who_has_an_account():
    ways = Counter(block.way for page in HOW_TO for block in blocks(page) if block.way)
    assert ways == NOT_TYPED


def test_a_command_that_may_end_with_1_or_is_typed_elsewhere_is_on_a_page():
    text = "".join(
        command for page in HOW_TO for block in blocks(page) for command in block.commands
    )
    assert [part for part in (*ENDS_WITH_1, *ELSEWHERE) if part not in text] == []
