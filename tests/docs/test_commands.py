"""What README and tutorial print is typed as it is, in order, in a clean folder, and does what they say."""

import time
from collections import Counter

import pytest

from local.aligned import aligned
from tests.docs.blocks import DOCS, ROOT, WAYS, blocks
from tests.docs.newcomer import shell
from tests.rigs.each_row import each_row

FIRST = (ROOT / "README.md", DOCS / "tutorial.md")
EVERY = [block for page in (*FIRST, *sorted(DOCS.glob("*.md"))) for block in blocks(page)]
LONG = [block for page in FIRST for block in blocks(page) if block.way == "long"]
ACCEPTANCE = [block for block in blocks(DOCS / "acceptance.md") if block.way == "long"]
PACKAGING = [block for block in blocks(DOCS / "runbook-deploying.md") if block.way == "long"]
TYPED = (*LONG, *PACKAGING, *ACCEPTANCE)
LONG_ONES = 2
"""Blocks of the first pages that only the long test types."""


def test_every_command_of_the_readme_and_the_tutorial_does_what_the_page_says(tmp_path):
    steps: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    with shell(tmp_path / "rp-mw") as newcomer:
        for page in FIRST:
            for block in blocks(page):
                if block.way != "long":
                    began, section = time.monotonic(), f"{page.stem}: {block.section}"
                    newcomer.runs(block)
                    steps[section] += len(block.commands)
                    seconds[section] += time.monotonic() - began
    assert len(newcomer.typed) > 20
    lines = [(step, number, f"{seconds[step]:.1f}") for step, number in steps.items()]
    print("\n" + aligned(("section", "commands", "seconds"), lines))  # python -m pytest -s


def test_hardly_anything_of_the_first_pages_is_left_to_the_long_test():
    left = [block for page in FIRST for block in blocks(page) if block.way in ("long", "aws")]
    assert {block.way for block in left} == {"long"}
    assert len(left) <= LONG_ONES


@each_row("block", EVERY)
def test_a_block_says_in_a_known_way_how_it_is_run(block):
    assert block.way in WAYS, str(block)
    assert block.way != "again" or block.prints, f"{block} is asked again for nothing"


@pytest.mark.long
def test_what_takes_minutes_does_what_the_page_says(tmp_path):
    with shell(tmp_path / "rp-mw") as newcomer:
        for block in LONG:
            newcomer.runs(block)


@pytest.mark.long
def test_the_functions_are_packaged_by_the_commands_of_the_page(tmp_path):
    with shell(tmp_path / "rp-mw") as newcomer:
        newcomer.types(". .venv/bin/activate; export STAGE=prod")
        for command in (command for block in PACKAGING for command in block.commands):
            status, said = newcomer.types(command.replace("<region>", "us-east-1"))
            assert status == 0, said
        assert (newcomer.folder / "out" / "sam.json").exists()


@pytest.mark.long
def test_a_stage_is_accepted_on_the_local_engine_by_the_command_of_the_page(tmp_path):
    with shell(tmp_path / "rp-mw") as newcomer:
        for block in ACCEPTANCE:
            print(newcomer.runs(block))


def test_every_block_that_takes_minutes_is_typed_by_a_long_test():
    typed = {command for block in TYPED for command in block.commands}
    assert {
        command for block in EVERY if block.way == "long" for command in block.commands
    } <= typed
