"""A project's AI settings: what is read, what is refused, and what no code reads."""

import pytest
from pydantic import ValidationError

from chalicelib.errors import PermanentError, reason_of
from chalicelib.outreach.project.ai_config import AiConfig, ignored_names
from chalicelib.outreach.project.check import faults
from chalicelib.outreach.project.project import Project
from tests.rigs.each_row import each_row

SEED = {
    "openai_config": {
        "sms": {
            "api_key_reference": "ai-multi-comms/openai-api-key/sms-dev",
            "assistant_id_template_sender": "asst_canary1",
            "assistant_id_replies": "asst_canary2",
            "assistant_id_3": "asst_canary3",
        }
    }
}


def writer(**changes):
    return {"ai_config": {"writer": changes}}


def test_a_project_without_settings_has_the_defaults():
    for item in ({}, {"ai_config": None}, {"ai_config": SEED}):
        found = Project(item).ai_config.writer
        assert (found.language, found.instructions, found.knowledge) == ("recipient", "", [])
        assert found.say_machine
        assert found.moderation


def test_the_names_of_the_originals_assistants_are_known_as_ignored_without_their_values():
    assert ignored_names({"ai_config": SEED}) == [
        "ai_config.openai_config.sms.assistant_id_3",
        "ai_config.openai_config.sms.assistant_id_replies",
        "ai_config.openai_config.sms.assistant_id_template_sender",
    ]
    assert (
        ignored_names({"ai_config": {"openai_config": {"sms": {"api_key_reference": "a"}}}}) == []
    )
    assert ignored_names({"ai_config": "rubbish"}) == ignored_names({}) == []


@pytest.mark.parametrize(
    "settings",
    [
        {"knowledge": [{"id": "a", "text": "A."}, {"id": "b", "question": "B?", "answer": "C."}]},
        {"allowed_links": ["https://jobs.example.com/apply", "example.com"]},
        {"allowed_numbers": ["+15550109000"], "allowed_emails": ["jobs@example.com"]},
        {"language": "es"},
        {"limits": {"sms_segments": 2}},
        {"shown": {"project_data": ["job_ref"]}},
        {"shown": {"project_data": False}},
        {"say_machine": False},
    ],
)
def test_usable_settings_are_read_as_they_are(settings):
    (name,) = settings.keys() - {"allowed_emails"}
    found = AiConfig.model_validate({"writer": settings}).writer.model_dump(exclude_unset=True)
    assert found[name] == settings[name]


@each_row(
    ("settings", "place"),
    [
        ({"instruction": "canary"}, ("writer", "instruction")),
        ({"instructions": "canary" * 2000}, ("writer", "instructions")),
        ({"version": 2}, ("writer", "version")),
        ({"language": "canary"}, ("writer", "language")),
        ({"knowledge": [{"id": "a"}]}, ("writer", "knowledge", 0)),
        ({"knowledge": [{"id": "a", "question": "canary?"}]}, ("writer", "knowledge", 0)),
        ({"knowledge": [{"id": "A B", "text": "canary"}]}, ("writer", "knowledge", 0, "id")),
        ({"knowledge": [{"id": "a", "text": "b"}] * 2}, ("writer",)),
        ({"allowed_links": ["canary"]}, ("writer", "allowed_links", 0)),
        ({"allowed_links": ["javascript:canary"]}, ("writer", "allowed_links", 0)),
        ({"allowed_numbers": ["555 canary"]}, ("writer", "allowed_numbers", 0)),
        ({"allowed_emails": ["canary"]}, ("writer", "allowed_emails", 0)),
        ({"limits": {"sms_segments": 0}}, ("writer", "limits", "sms_segments")),
        ({"limits": {"history_tokens": 10**9}}, ("writer", "limits", "history_tokens")),
        ({"say_machine": "no"}, ("writer", "say_machine")),
    ],
)
def test_settings_that_cannot_be_meant_are_refused_by_their_place(settings, place):
    with pytest.raises(ValidationError) as refused:
        AiConfig.model_validate({"writer": settings})
    places = [error["loc"][: len(place)] for error in refused.value.errors()]
    assert place in places
    assert "canary" not in str(refused.value).replace("'canary'", "")
    with pytest.raises(PermanentError) as unread:
        _ = Project(writer(**settings)).ai_config
    assert reason_of(unread.value) == "ai_config_unreadable"


def test_a_revision_changes_with_every_setting_and_with_nothing_else():
    def revision(**changes):
        return Project(writer(**changes)).ai_config.writer.revision

    assert revision() == revision(version=1) == revision(knowledge=[])
    different = {revision(), revision(tone="warm"), revision(limits={"sms_segments": 1})}
    assert len(different) == 3


def test_a_role_that_there_is_not_is_refused_by_its_field_and_not_its_value():
    item = {"ai_config": {"writer": {"fields": {"amt2": {"role": "depozit"}}}}}
    found = [fault for fault in faults(item) if "amt2" in fault]
    assert len(found) == 1
    assert "ai_config.writer.fields.amt2.role" in found[0]
    assert "depozit" not in found[0]
