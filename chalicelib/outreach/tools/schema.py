"""Tools: functions that the writer may call, their arguments and their results.

A project declares them in its `ai_config`, beside the names that a channel's ``functions`` allow::

    "tools": [{"name": "submit_application", "irreversible": true,
               "parameters": {"type": "object", "required": ["job_ref"],
                              "properties": {"job_ref": {"type": "string", "maxLength": 20}}},
               "question": "Shall I submit your application now?",
               "acknowledgement": "Thank you, your application is on its way."}]

A call whose arguments fit the schema is posted to the company as the event ``tool_called``, once by
the event's id; without an endpoint a person makes the call.  An irreversible tool asks the
recipient first (`confirmation`).  A function that is allowed but not declared is only noted in the
conversation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StrictInt

from chalicelib.once.keys import digest
from chalicelib.outreach.field_names import shown_name
from chalicelib.outreach.tools import value_patterns

MAX_ARGUMENTS_BYTES = 8192
MOST_LEVELS = 32
"""Maximum depth of nested objects and arrays, of values and of schemas; DynamoDB stores no more."""
MOST_SCHEMAS = 300
"""Maximum number of schemas in a declaration, counting those of properties and items."""
MOST_MINUTES = 7 * 24 * 60
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "object": dict,
    "array": list,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
_KEYWORDS = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "enum", "const"),
        *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "pattern"),
        *("description", "title", "examples", "default"),
    }
)
"""The supported part of JSON Schema; a declaration with another keyword is refused."""


def _supported_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    problems = _schema_faults(schema, "parameters", MOST_LEVELS)
    for number, problem in enumerate(problems):
        if problem is not None:
            raise ValueError(problem)
        if number == MOST_SCHEMAS:
            raise ValueError(f"parameters has more than {MOST_SCHEMAS} schemas")
    if schema.get("type") != "object":
        raise ValueError("must be of type object")
    return schema


def _schema_faults(schema: Any, path: str, levels: int) -> Iterator[str | None]:  # noqa: ANN401
    """Why a JSON value is no supported schema; also yields None for each schema read, to count them."""
    if not isinstance(schema, Mapping) or not levels:
        yield f"{path} is nested too deeply" if not levels else f"{path} is not a schema"
        return
    yield None
    unknown = sorted(schema.keys() - _KEYWORDS)
    if unknown:
        yield f"{path} has a keyword that is not understood: {', '.join(map(shown_name, unknown))}"
    listed = schema.get("type", [])
    types = listed if isinstance(listed, list) else [listed]
    if not all(isinstance(type_name, str) and type_name in _TYPES for type_name in types):
        yield f"{path} has an unknown type"
    for keywords, is_one, wanted in _VALUES:
        for name in keywords:
            if name in schema and not is_one(schema[name]):
                yield f"{path}.{name} is not {wanted}"
    if problem := value_patterns.fault(schema.get("pattern", "")):
        yield f"{path} has a pattern that {problem}"
    for name, inner in (schema.get("properties") or {}).items():
        yield from _schema_faults(inner, f"{path}.{shown_name(name)}", levels - 1)
    if "items" in schema:
        yield from _schema_faults(schema["items"], f"{path}[]", levels - 1)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)  # type: ignore[operator,call-overload]


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_VALUES: tuple[tuple[tuple[str, ...], Callable[[object], bool], str], ...] = (
    (("minLength", "maxLength", "minItems", "maxItems"), _is_count, "a whole number from 0 on"),
    (("minimum", "maximum"), _is_number, "a number"),
    (("required",), _is_names, "a list of names"),
    (("enum",), lambda value: isinstance(value, list), "a list"),
    (("properties",), lambda value: isinstance(value, Mapping), "an object"),
)
"""Keywords of a schema, a check of their values, and what the check demands, in words."""


class Tool(BaseModel):
    """One tool that a project declares.

    Attributes:
        name: as in the channel's ``functions``.
        parameters: the schema of its arguments.
        irreversible: whether the recipient is asked before it is called.
        question: the question of an irreversible tool; None uses a fixed wording.
        confirm_within_minutes: how long a yes to that question counts.
        result: the schema of its result; by default a result has no data.
        result_within_minutes: a person looks after a call without a result after this time.
        acknowledgement: the message to the recipient where the writer writes none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]
    description: Annotated[str, Field(max_length=1000)] = ""
    parameters: Annotated[dict[str, Any], AfterValidator(_supported_schema)] = {"type": "object"}
    irreversible: StrictBool = False
    question: Annotated[str, Field(min_length=1, max_length=600)] | None = None
    confirm_within_minutes: Annotated[StrictInt, Field(ge=1, le=MOST_MINUTES)] = 24 * 60
    result: Annotated[dict[str, Any], AfterValidator(_supported_schema)] = {
        "type": "object",
        "additionalProperties": False,
    }
    result_within_minutes: Annotated[StrictInt, Field(ge=1, le=MOST_MINUTES)] = 24 * 60
    acknowledgement: Annotated[str, Field(min_length=1, max_length=600)] | None = None

    @property
    def revision(self) -> str:
        """A digest of the tool's declaration.

        A recipient's yes confirms nothing if it answers a question about another revision.
        """
        return digest("tool", self.model_dump_json())[:16]

    def result_fault(self, data: Mapping[str, Any]) -> str | None:
        """Why a result's data do not fit their schema: names the place, no value; None if they fit."""
        is_empty = not (self.result.get("properties") or {})
        if is_empty and data and not self.result.get("additionalProperties", False):
            return f"data has a field that is not declared: {shown_name(min(data))}"
        return next(_faults(data, self.result, "data"), None)

    def parsed_arguments(self, text: str | None) -> dict[str, Any]:
        """The arguments that the writer gave for a call of the tool, parsed from JSON.

        Raises:
            ValueError: they do not fit the schema; names the place, never the value.
        """
        if len((text or "").encode("utf-8", "surrogatepass")) > MAX_ARGUMENTS_BYTES:
            raise ValueError("arguments are too long")
        try:
            found = json.loads(text or "{}")
        except (ValueError, RecursionError):
            raise ValueError("arguments are not JSON") from None
        problem = next(_faults(found, self.parameters, "arguments"), None)
        if problem is not None:
            raise ValueError(problem)
        return dict(found)


def _faults(
    value: Any,  # noqa: ANN401 - JSON
    schema: Mapping[str, Any],
    path: str,
    levels: int = MOST_LEVELS,
) -> Iterator[str]:
    if not levels and isinstance(value, list | dict):
        yield f"{path} is nested too deeply"
        return
    listed = schema.get("type")
    types = listed if isinstance(listed, list) else [listed] if listed else []
    if types and not any(_is_of(value, str(name)) for name in types):
        yield f"{path} is not of type {' or '.join(map(str, types))}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path} is none of the values allowed"
    if "const" in schema and value != schema["const"]:
        yield f"{path} is not the value required"
    match value:
        case str():
            yield from _length_faults(len(value), schema, path, "Length")
            if "pattern" in schema and not value_patterns.matches(schema["pattern"], value):
                yield f"{path} does not match its pattern"
        case list():
            yield from _length_faults(len(value), schema, path, "Items")
            for number, item in enumerate(value):
                yield from _faults(item, schema.get("items") or {}, f"{path}[{number}]", levels - 1)
        case dict():
            yield from _object_faults(value, schema, path, levels - 1)
        case int() | float() if not isinstance(value, bool):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value):
                yield f"{path} is out of range"
        case _:
            pass


def _object_faults(
    value: Mapping[str, Any], schema: Mapping[str, Any], path: str, levels: int
) -> Iterator[str]:
    properties = schema.get("properties") or {}
    for name in schema.get("required") or ():
        if name not in value:
            yield f"{path}.{name} is missing"
    for name, member in value.items():
        if name in properties:
            yield from _faults(member, properties[name], f"{path}.{name}", levels)
        elif properties and schema.get("additionalProperties", False) is False:
            yield f"{path} has a field that is not declared: {shown_name(name)}"
        else:
            yield from _faults(member, {}, f"{path}.{shown_name(name)}", levels)


def _length_faults(length: int, schema: Mapping[str, Any], path: str, what: str) -> Iterator[str]:
    if not schema.get(f"min{what}", 0) <= length <= schema.get(f"max{what}", length):
        yield f"{path} is too short or too long"


def _is_of(value: Any, name: str) -> bool:  # noqa: ANN401 - any JSON value
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES[name])
