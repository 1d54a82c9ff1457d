"""The promises of docs/outreach.md, tried from outside: people at the desk."""

from tests.outside.conversations import TEMPLATE, act, by_whatsapp, conversation, started, words_to
from tests.outside.running import AGENT_KEY, FIRST, PROJECT, SECOND


def test_a_held_opening_is_sent_once_as_a_person_has_edited_it_and_not_before(stack):
    project, to = stack.put_project(auto_queue_initial_message=True), stack.tel()
    request_id = started(stack, to, of=project)
    stack.forward(hours=1)
    assert stack.outcome(request_id)["waiting"]["for"] == "approval"
    assert stack.texts_to(to) == []
    shown = conversation(stack, request_id)
    for repeated in (False, True):
        answer = act(stack, shown, "approve", once="only-once", text="Hi, Sam here.")
        assert answer.json()["repeated"] is repeated
    (text,) = words_to(stack, to)
    assert text.startswith("Hi, Sam here.")
    assert "STOP" in text
    assert stack.outcome(request_id)["state"] == "sent"


def test_a_declined_opening_is_never_sent(stack):
    project, to = stack.put_project(auto_queue_initial_message=True), stack.tel()
    request_id = started(stack, to, of=project)
    shown = conversation(stack, request_id)
    assert act(stack, shown, "decline", reason="wrong person").status_code == 200
    stack.forward(hours=2)
    outcome = stack.outcome(request_id)
    assert (outcome["state"], outcome["reason"]) == ("failed", "declined")
    assert stack.texts_to(to) == []
    (turn,) = stack.ops("story", to, "--json").data["turns"]
    assert turn["became"] == "Not sent: a person declined the message (declined)."
    assert "sam" in turn["more"]
    assert "wrong person" in turn["more"]


def test_a_declined_opening_stays_so_for_the_router_after_a_replay(stack):
    project, to = stack.put_project(auto_queue_initial_message=True), stack.tel()
    request_id = started(stack, to, of=project)
    act(stack, conversation(stack, request_id), "decline", reason="wrong person")
    stack.ops("replay", "--status", "processed", "--since", "1h", "--yes")
    stack.settle()
    assert stack.outcome(request_id)["state"] == "failed"
    assert stack.texts_to(to) == []


def test_a_held_opening_to_somebody_who_has_said_stop_has_failed_for_the_router(stack):
    to = stack.tel()
    started(stack, to)
    held = started(stack, to, of=stack.put_project(auto_queue_initial_message=True))
    assert stack.outcome(held)["state"] == "handed_off"
    stack.says(to, "STOP")
    answer = act(stack, conversation(stack, held), "approve")
    assert (answer.status_code, answer.json()["code"]) == (409, "DO_NOT_CONTACT")
    outcome = stack.outcome(held)
    assert (outcome["state"], outcome["reason"]) == ("failed", "do_not_contact")
    assert "waiting" not in outcome


def test_a_persons_reply_that_an_operator_sends_after_all_is_no_failure_any_more(stack):
    to = stack.tel()
    request_id = started(stack, to)
    act(stack, conversation(stack, request_id), "take", once="take")
    with stack.switched("kill_switch", "on"):
        act(stack, conversation(stack, request_id), "reply", once="one", text="Sam here.")
        stack.settle()
    assert conversation(stack, request_id)["reply_failure"]["reason"] == "kill_switch"
    explained = ("explain", conversation(stack, request_id)["id"])
    assert "Not sent: the switch kill_switch was on" in stack.ops(*explained).out
    which = ("--status", "processed", "--reason", "withheld:kill_switch")
    for _ in range(2):
        stack.ops("replay", *which, "--yes")
        stack.settle()
    assert words_to(stack, to)[1:] == ["Sam here."]
    assert conversation(stack, request_id)["reply_failure"] is None
    out = stack.ops(*explained).out
    assert "/sam replied on" in out
    assert "Answered automatically" not in out


def test_an_answer_that_a_switch_has_stopped_is_seen_to_wait(stack):
    to = stack.tel()
    request_id = started(stack, to)
    with stack.switched("safe_mode", "on"):
        stack.says(to, "Tell me more")
    assert stack.outcome(request_id)["waiting"] == {"for": "replay", "reason": "safe_mode"}
    assert conversation(stack, request_id)["why"] == "safe_mode"
    stack.ops("replay", "--status", "processed", "--reason", "withheld:safe_mode", "--yes")
    stack.settle()
    assert len(stack.texts_to(to)) == 2
    assert "waiting" not in stack.outcome(request_id)
    assert conversation(stack, request_id)["why"] is None


def test_while_a_person_has_a_conversation_no_machine_answers_in_it(stack):
    to = stack.tel()
    request_id = started(stack, to)
    assert act(stack, conversation(stack, request_id), "take").status_code == 200
    stack.says(to, "Are you there?")
    assert len(stack.texts_to(to)) == 1
    answer = act(stack, conversation(stack, request_id), "reply", text="Yes, this is Sam.")
    assert answer.status_code == 200
    assert words_to(stack, to)[1:] == ["Yes, this is Sam."]
    stack.says(to, "Thank you, and when do you open?")
    assert len(stack.texts_to(to)) == 2
    assert act(stack, conversation(stack, request_id), "give_back").status_code == 200
    assert len(stack.texts_to(to)) == 3


def test_an_act_upon_a_conversation_that_has_changed_since_does_nothing(stack):
    to = stack.tel()
    request_id = started(stack, to)
    stack.says(to, "I want to talk to a person")
    shown = conversation(stack, request_id)
    stack.says(to, "It is about my pay.")
    answer = act(stack, shown, "reply", text="What is it about?")
    assert (answer.status_code, answer.json()["code"]) == (409, "VERSION_CHANGED")
    assert len(stack.texts_to(to)) == 1


def test_a_key_of_one_act_is_refused_for_another(stack):
    to = stack.tel()
    request_id = started(stack, to)
    act(stack, conversation(stack, request_id), "take", once="the-key")
    answer = act(stack, conversation(stack, request_id), "reply", once="the-key", text="Hi")
    assert (answer.status_code, answer.json()["code"]) == (409, "IDEMPOTENCY_KEY_REUSED")
    assert len(stack.texts_to(to)) == 1


def test_an_agent_leaves_alone_what_another_person_has_and_a_lead_need_not(stack):
    to = stack.tel()
    request_id = started(stack, to)
    act(stack, conversation(stack, request_id), "take", by="sam")
    reply = {"by": "kim", "text": "Hello, Kim here."}
    answer = act(stack, conversation(stack, request_id), "reply", key=AGENT_KEY, **reply)
    assert (answer.status_code, answer.json()["code"]) == (409, "HELD_BY_ANOTHER")
    assert len(stack.texts_to(to)) == 1
    answer = act(stack, conversation(stack, request_id), "reply", **reply)
    assert answer.status_code == 200
    assert words_to(stack, to)[1:] == ["Hello, Kim here."]


def test_a_wrong_act_gets_a_4xx_that_names_the_field_and_never_its_value(stack):
    to = stack.tel()
    request_id = started(stack, to)
    act(stack, conversation(stack, request_id), "take")
    wrong_words = ("shout loudly", "next week", "drawkcab", "bright red")
    for fields, code in (
        ({"act": "shout loudly"}, "INVALID_ACT"),
        ({"act": "reply"}, "INVALID_TEXT"),
        ({"act": "snooze", "until": "next week"}, "INVALID_UNTIL"),
        ({"act": "reply", "text": "Hi", "by": "\u202edrawkcab"}, "INVALID_BY"),
        ({"act": "reply", "text": "Hi", "colour": "bright red"}, "UNKNOWN_FIELD"),
    ):
        answer = act(stack, conversation(stack, request_id), **{"name": fields["act"], **fields})
        assert (answer.status_code, answer.json()["code"]) == (400, code)
        assert not [word for word in wrong_words if word in answer.text]
        assert list(fields)[-1] in answer.text
    assert len(stack.texts_to(to)) == 1


def test_another_companys_desk_sees_and_does_nothing(stack):
    to = stack.tel()
    request_id = started(stack, to)
    stack.says(to, "I want to talk to a person")
    shown = conversation(stack, request_id)
    path = f"/desk/conversations/{shown['id']}"
    assert stack.desk("GET", path, key=SECOND.lead_key).json()["code"] == "CONVERSATION_NOT_FOUND"
    assert act(stack, shown, "take", key=SECOND.lead_key).status_code == 404
    listed = stack.desk("GET", "/desk/conversations?limit=200", key=SECOND.lead_key)
    assert shown["id"] not in listed.text
    for key in ("", "nobodys-key", FIRST.router_key):
        assert stack.desk("GET", path, key=key).status_code == 401
    assert conversation(stack, request_id)["version"] == shown["version"]


def test_a_persons_reply_to_a_recipient_who_has_said_stop_is_refused(stack):
    to = stack.tel()
    request_id = started(stack, to)
    act(stack, conversation(stack, request_id), "take")
    stack.says(to, "STOP")
    answer = act(stack, conversation(stack, request_id), "reply", text="One more thing ...")
    assert (answer.status_code, answer.json()["code"]) == (409, "DO_NOT_CONTACT")
    assert len(stack.texts_to(to)) == 1


def test_outside_whatsapps_24_hours_a_reply_needs_a_template(stack):
    channels = PROJECT["channel_config"]
    reopening = {**channels["whatsapp"], "reopening_template_sid": TEMPLATE}
    bare = stack.put_project()
    reopens = stack.put_project(channel_config={**channels, "whatsapp": reopening})
    asked = {}
    for project in (bare, reopens):
        to = stack.tel()
        asked[project.project] = (to, started(stack, to, "whatsapp", of=project))
        by_whatsapp(stack, to, "I want to talk to a person")
    stack.forward(hours=25)
    to, request_id = asked[bare.project]
    answer = act(stack, conversation(stack, request_id), "reply", text="Sam here.")
    assert (answer.status_code, answer.json()["code"]) == (409, "WINDOW_CLOSED")
    assert len(stack.texts_to(to)) == 1
    to, request_id = asked[reopens.project]
    act(stack, conversation(stack, request_id), "reply", text="Sam here.")
    (text,) = words_to(stack, to)[1:]
    assert "Sam here." in text
    assert text != "Sam here."


def test_a_company_gets_one_e_mail_about_who_waits_and_not_what_they_wrote(stack):
    desk, to = stack.mail(), stack.tel()
    notice = {"email": desk, "after_minutes": 15}
    project = stack.put_project(handoff_notice=notice, auto_queue_reply_message=True)
    request_id = started(stack, to, of=project)
    stack.says(to, "my own secret words")
    assert stack.mails_to(desk) == []
    for _ in range(3):
        stack.forward(minutes=20)
    (notice,) = stack.mails_to(desk)
    assert conversation(stack, request_id)["id"] in notice["text"]
    for personal in (to, "secret words", "Jo"):
        assert personal not in notice["text"] + notice["subject"]


def test_what_a_switch_has_stopped_is_sent_by_an_operator_and_not_by_lifting_it(stack):
    to = stack.tel()
    with stack.switched("kill_switch", "on"):
        request_id = started(stack, to)
        assert stack.outcome(request_id)["state"] == "withheld"
    stack.forward(minutes=10)
    assert stack.texts_to(to) == []
    which = ("--status", "processed", "--reason", "withheld:kill_switch")
    stack.ops("replay", *which, "--yes")
    stack.settle()
    assert len(stack.texts_to(to)) == 1
    assert stack.outcome(request_id)["state"] == "sent"
