"""The promises of docs/restoring.md, tried from outside."""


def test_in_shadow_mode_events_are_recorded_and_no_vendor_gets_anything(stack):
    to, ticket = stack.tel(), stack.ticket("Where is my order?")
    with stack.switched("shadow_mode", "true"):
        request_id = stack.start(to).json()["request_id"]
        assert stack.webhook(ticket_id=ticket, message_id="c-1", message="Hi").status_code == 200
        stack.forward(hours=1)
        assert stack.outcome(request_id)["state"] == "withheld"
        assert stack.texts_to(to) == _changes_to(stack, ticket) == []
    assert "shadow" in stack.ops("explain", ticket).out


def test_what_shadow_mode_withheld_goes_on_once_by_the_replay_of_the_page(stack):
    to, ticket = stack.tel(), stack.ticket("Where is my order?")
    with stack.switched("shadow_mode", "true"):
        stack.start(to)
        stack.webhook(ticket_id=ticket, message_id="c-1", message="Where is my order?")
    stack.forward(hours=1)
    assert stack.texts_to(to) == _changes_to(stack, ticket) == []
    replay = ("replay", "--status", "processed", "--reason", "withheld:shadow", "--since", "48h")
    assert "would go" in stack.ops(*replay, "--dry-run").out
    stack.settle()
    assert stack.texts_to(to) == _changes_to(stack, ticket) == []
    for _ in range(2):
        stack.ops(*replay, "--yes")
        stack.settle()
    changes = _changes_to(stack, ticket)
    assert len(stack.texts_to(to)) == 1
    assert len(changes) == len(set(changes)) > 0


def test_a_restored_stage_is_not_released_while_an_event_is_unfinished(stack):
    to = stack.tel()
    stack.twilio.fails(operation="create_message", status=500)
    stack.start(to)
    with stack.switched("shadow_mode", "true"):
        release = ("restore", "--at", "1h", "--release", "--yes")
        assert "unfinished" in stack.ops(*release, code=1).err
        assert "the switch shadow_mode" in _why_shadow(stack)
    for _ in range(3):
        stack.forward(minutes=20)
    assert len(stack.texts_to(to)) == 1


def test_completing_a_restored_ledger_is_refused_while_the_stage_acts(stack):
    assert "the stage acts" in stack.ops("restore", "--at", "1h", "--dry-run", code=1).err


def _why_shadow(stack):
    """What is said of a start that the stage takes now."""
    to = stack.tel()
    stack.start(to)
    return stack.ops("explain", to).out


def _changes_to(stack, ticket):
    changes = stack.richpanel.get("effects")["effects"]
    return [(one["kind"], one["value"]) for one in changes if one["ticket_id"] == ticket]
