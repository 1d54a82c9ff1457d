"""Configures where Lambda keeps the events that a function failed on; `chalice deploy` cannot."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ops.stage.template import StageTemplate

UNPUBLISHED = "$LATEST"
"""The function version that is invoked; SAM's expanded template names the same."""


def set_failure_destinations(functions: Any, template: StageTemplate) -> None:  # noqa: ANN401 - a boto3 client
    """Set each function's failure destination as declared; skip functions not deployed yet."""
    for name, properties in template.functions():
        if "EventInvokeConfig" not in properties:
            continue
        declared = properties["EventInvokeConfig"]
        with suppress(functions.exceptions.ResourceNotFoundException):
            functions.put_function_event_invoke_config(
                FunctionName=name,
                Qualifier=UNPUBLISHED,
                MaximumRetryAttempts=declared["MaximumRetryAttempts"],
                DestinationConfig={
                    "OnFailure": {
                        "Destination": declared["DestinationConfig"]["OnFailure"]["Destination"]
                    }
                },
            )
