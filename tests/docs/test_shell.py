"""The newcomer's shell notices what a page says and a command does not do."""

import os

import pytest

from tests.docs.blocks import blocks, commands
from tests.docs.newcomer import Shell


@pytest.fixture
def newcomer(tmp_path):
    shell = Shell(tmp_path, dict(os.environ))
    yield shell
    shell.ends()


@pytest.fixture
def page(tmp_path):
    def written(text):
        path = tmp_path / "page.md"
        path.write_text(text)
        return blocks(path)

    return written


def test_a_variable_lasts_from_block_to_block(newcomer, page):
    first, second = page(
        "```sh\nNAME=jo\n```\n\nThen:\n\n```sh\necho $NAME\n```\n\n```output\njo\n```\n"
    )
    newcomer.runs(first)
    newcomer.runs(second)
    assert newcomer.typed == ["NAME=jo", "echo $NAME"]


def test_a_command_that_fails_is_noticed_with_its_line(newcomer, page):
    (block,) = page("# Page\n\n```sh\ntrue\nfalse\n```\n")
    with pytest.raises(AssertionError, match=r"page\.md:3(?s:.*)\$ false\n\n\(status 1\)"):
        newcomer.runs(block)


def test_another_text_than_the_page_says_is_noticed(newcomer, page):
    right, wrong = page("```sh\necho a b c\n```\n\n```output\na ... c\n```\n" * 2)
    newcomer.runs(right)
    with pytest.raises(AssertionError, match="says"):
        newcomer.runs(wrong.__class__(wrong.page, 9, "", wrong.commands, "a ... d"))


def test_a_question_is_asked_again_until_it_prints_what_the_page_says(newcomer, page):
    (block,) = page("```sh again\necho x >> asked; grep -c . asked\n```\n\n```output\n3\n```\n")
    assert newcomer.runs(block).strip() == "3"


def test_a_command_goes_on_behind_a_backslash_and_within_quotation_marks():
    text = "curl a \\\n  -d '{\n}'  # it's posted\npython -m ops explain 1  # why\n"
    assert commands(text) == (
        "curl a \\\n  -d '{\n}'  # it's posted",
        "python -m ops explain 1  # why",
    )
