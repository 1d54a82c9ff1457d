"""Redaction: what is stored, logged, raised or sent to a model passes through here.

`redact` masks a text, `redact_mapping` a JSON-like value, `model_view` gives what a model may see.
Pure: no clock, no network, no environment, standard library only.
"""

from chalicelib.redaction.mapping import redact_mapping
from chalicelib.redaction.model_view import model_view
from chalicelib.redaction.redactor import Counts, redact, redact_counted
from chalicelib.redaction.sheet import Kind

__all__ = ["Counts", "Kind", "model_view", "redact", "redact_counted", "redact_mapping"]
