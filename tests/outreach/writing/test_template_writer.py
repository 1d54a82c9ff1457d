"""Fixed words name company and project as these are set; what is no name reaches no customer."""

import pytest

from chalicelib.outreach.conversations.records import Entry, Record
from chalicelib.outreach.messages.fixed import help_answer, stop_confirmation
from chalicelib.outreach.messages.opening_data import opening_data
from chalicelib.outreach.project import openings
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.writing.template_writer import DEFAULT_SUBJECT, TemplateWriter
from local import company
from tests.rigs.each_row import each_row

ASKED = [Entry("e", "2026-01-01T00:00:00.000Z", "user", "When?")]
WRITER = TemplateWriter()
NO_NAMES = [5], {"name": "five"}, 5, "", " \r\n\ufeff", True


def record(channel="sms", **changes):
    """A conversation that a project with these settings has opened."""
    ids = {"company_id": "ci-1", "project_id": "pi-1"}
    project = Project(company.project("dev", **ids, **changes))
    return Record(openings.attributes(project, channel_of(channel), {}, **ids))


def channel_of(name):
    return Record({"channel_method": name}).channel


@each_row("name", NO_NAMES)
@each_row("channel", company.CHANNELS)
def test_what_is_no_name_is_as_if_it_were_absent(channel, name):
    found, sound = (
        record(channel, company_name=value, project_name=value, company_contact=value)
        for value in (name, None)
    )
    assert WRITER.opening(found) == WRITER.opening(sound)
    assert WRITER.answer(found, ASKED) == WRITER.answer(sound, ASKED)
    assert help_answer(found, None) == help_answer(sound, None)
    assert stop_confirmation(found) == stop_confirmation(sound)
    assert opening_data(found) == opening_data(sound)
    assert "ci-1" in help_answer(found, None)


def test_a_name_that_was_stored_in_lines_is_shown_in_one():
    found = record(
        "whatsapp", company_name="\ufeff Cucumber\r\nRecruitment\u2028", project_name="CV\x00"
    )
    assert WRITER.opening(found).variables["2"] == "Cucumber Recruitment about CV"


def test_an_answer_to_help_that_is_no_text_is_in_our_words():
    assert help_answer(record(help_text={"en": [5]}), None) == help_answer(record(), None)


@pytest.mark.parametrize(("line", "subject"), [(7, None), (["x"], None), ("Your\r\nCV", "Your CV")])
def test_a_subject_is_one_line_of_text(line, subject):
    mail = {"email": {"company_email": company.EMAIL, "default_subject_line": line}}
    found = record("email", channel_config=mail)
    assert WRITER.opening(found).subject == (subject or f"{company.COMPANY_NAME}: Clarify CV")
    assert WRITER.answer(found, ASKED).subject == f"Re: {subject or DEFAULT_SUBJECT}"
