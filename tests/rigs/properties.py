"""How many examples a property of the redaction is tried with."""

from hypothesis import settings

FEW = settings(max_examples=60, deadline=None)
"""In each run; `tests/redaction/whole/test_many_examples.py` tries the same properties with more."""
MANY = settings(max_examples=400, deadline=None)
