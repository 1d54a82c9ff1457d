import pytest
from pydantic import ValidationError

from chalicelib.outreach.tools.schema import MOST_LEVELS, Tool


def nested(levels):
    return "[" * levels + "]" * levels


def nested_objects(levels):
    return '{"a":' * levels + "1" + "}" * levels


def tool(**properties):
    return Tool(name="note", parameters={"type": "object", "properties": properties})


def test_a_pattern_that_could_hold_a_worker_is_refused_without_its_value():
    with pytest.raises(ValidationError) as refused:
        tool(ref={"type": "string", "pattern": r"(secret)\1"})
    assert "parameters.ref has a pattern that" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_arguments_are_compared_with_their_pattern():
    declared = tool(ref={"type": "string", "pattern": r"^([A-Z0-9]+-?)+$"})
    assert declared.arguments('{"ref": "AB-12"}') == {"ref": "AB-12"}
    with pytest.raises(ValueError, match=r"^arguments\.ref does not match its pattern$"):
        declared.arguments(f'{{"ref": "{"A" * 4000}!"}}')


@pytest.mark.parametrize("levels", [MOST_LEVELS, 900, 4000])
def test_arguments_that_are_nested_too_deeply_are_none(levels):
    objects = nested_objects(levels)
    for given in (nested(levels), objects, f"[{objects}]"):
        with pytest.raises(ValueError, match=r"nested too deeply|not JSON"):
            tool(rows={}).arguments(f'{{"rows": {given}}}')


def test_arguments_may_be_nested():
    deepest = nested(MOST_LEVELS - 1)
    assert tool(rows={}).arguments(f'{{"rows": {deepest}}}')
