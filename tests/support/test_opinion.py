"""The schemas of a model's answers."""

import pytest

from chalicelib.support.opinion import DECISION_SCHEMA, VERIFIER_SCHEMA
from local.vendors.openai import _looseness


@pytest.mark.parametrize(
    "schema", [DECISION_SCHEMA, VERIFIER_SCHEMA], ids=lambda schema: schema.name
)
def test_the_schema_a_model_must_return_is_strict(schema):
    assert _looseness(schema.schema, "root") is None
    assert "$ref" not in str(schema.schema)
