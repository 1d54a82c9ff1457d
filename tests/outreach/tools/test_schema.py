import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from chalicelib.outreach.tools.schema import MOST_LEVELS, MOST_SCHEMAS, Tool
from tests.rigs.each_row import each_row


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
    assert declared.parsed_arguments('{"ref": "AB-12"}') == {"ref": "AB-12"}
    with pytest.raises(ValueError, match=r"^arguments\.ref does not match its pattern$"):
        declared.parsed_arguments(f'{{"ref": "{"A" * 4000}!"}}')


@pytest.mark.parametrize("levels", [MOST_LEVELS, 900, 4000])
def test_arguments_that_are_nested_too_deeply_are_none(levels):
    objects = nested_objects(levels)
    for rows in (nested(levels), objects, f"[{objects}]"):
        with pytest.raises(ValueError, match=r"nested too deeply|not JSON|too long"):
            tool(rows={}).parsed_arguments(f'{{"rows": {rows}}}')


def test_arguments_may_be_nested():
    deepest = nested(MOST_LEVELS - 1)
    assert tool(rows={}).parsed_arguments(f'{{"rows": {deepest}}}')


@each_row(
    "schema",
    [
        {"minLength": "5"},
        {"minLength": -1},
        {"maxItems": 1.5},
        {"maxItems": True},
        {"minimum": "1"},
        {"required": 5},
        {"required": [{}]},
        {"enum": 3},
        {"properties": 5},
        {"properties": [1]},
        {"type": [{}]},
        {"items": 1},
        {"pattern": "(" * 400},
        {"pattern": "(a{1000}){1000}"},
        {"pattern": "a" * 501},
    ],
)
def test_a_schema_that_could_not_be_compared_is_refused_by_its_place(schema):
    with pytest.raises(ValidationError, match=r"parameters\.ref"):
        tool(ref=schema)


def test_a_schema_has_a_depth_and_a_number_of_parts():
    within = {}
    for _ in range(2000):
        within = {"properties": {"a": within}}
    with pytest.raises(ValidationError, match="nested too deeply"):
        tool(ref=within)
    tool(**{f"f{n}": {} for n in range(MOST_SCHEMAS - 1)})
    with pytest.raises(ValidationError, match="more than 300 schemas"):
        tool(**{f"f{n}": {} for n in range(MOST_SCHEMAS)})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYWORDS = st.sampled_from(
    [
        *("type", "properties", "required", "items", "enum", "const", "minLength", "maxLength"),
        *("minimum", "maximum", "minItems", "maxItems", "pattern", "additionalProperties"),
    ]
)
SCHEMAS = st.recursive(
    st.dictionaries(KEYWORDS, VALUES | st.sampled_from(["string", "number", ["a"]]), max_size=3),
    lambda inner: st.dictionaries(
        st.sampled_from(["items", "properties"]),
        inner | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
        max_size=2,
    ),
    max_leaves=5,
)


@given(
    schema=SCHEMAS, value=st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2), text=st.text()
)
def test_any_schema_is_refused_or_compares_any_value(schema, value, text):
    try:
        declared = Tool(
            name="note",
            parameters={"type": "object", "properties": {"a": schema}},
            result={"type": "object", "properties": {"a": schema}},
        )
    except ValidationError:
        return
    declared.result_fault(value)
    with contextlib.suppress(ValueError):
        declared.parsed_arguments(text)
