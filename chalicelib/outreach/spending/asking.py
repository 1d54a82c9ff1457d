"""The requests for one message: the first, and further ones after an unusable answer; pure.

Reasoning has a token budget of its own beside the answer's.  After an answer that is cut off or refused,
the model is asked once more with its least reasoning effort, and then the fallback model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chalicelib.outreach.reasons import UNKNOWN_MODEL
from chalicelib.outreach.spending.model_catalogue import ModelCatalogue, ModelRow
from chalicelib.outreach.spending.unwritten import UnwrittenError
from chalicelib.vendors.language_model import ModelAnswer, ModelOutcome, ModelRequest

UNUSABLE = frozenset({ModelOutcome.INCOMPLETE, ModelOutcome.REFUSED})
"""Outcomes of an answer after which another request is made: it was cut off, or the model refused."""


def requests(request: ModelRequest, catalogue: ModelCatalogue) -> Iterator[ModelRequest]:
    """The requests for one message, each made only if the answers before were `UNUSABLE`.

    First the given request; then one with the model's least reasoning effort, if the first asked
    for more; then one to the fallback model, if there is another.

    Raises:
        UnwrittenError: a model is not in the catalogue.
    """
    first = row_of(catalogue, request.model)
    fallback = request.fallback_model
    rows = {request.model: first}
    if fallback is not None:
        rows[fallback] = row_of(catalogue, fallback)
    manners = {
        name: catalogue.request_options(row, request.instructions, row.effort)
        for name, row in rows.items()
    }
    request = replace(request, manners=manners)
    yield request
    if first.efforts and first.effort != first.efforts[0]:
        least = catalogue.request_options(first, request.instructions, first.efforts[0])
        yield replace(request, manners={**manners, request.model: least})
    if fallback not in (None, request.model):
        yield replace(request, model=fallback, fallback_model=None)


def row_of(catalogue: ModelCatalogue, name: str) -> ModelRow:
    """The catalogue's row of a model, by the model's name.

    Raises:
        UnwrittenError: the model is not in the catalogue, so its price is unknown.
    """
    row = catalogue.find(name)
    if row is None:
        raise UnwrittenError(UNKNOWN_MODEL)
    return row


def is_final(answer: ModelAnswer, request: ModelRequest, catalogue: ModelCatalogue) -> bool:
    """Whether no further request follows an answer: it is usable, or the fallback model gave it."""
    if answer.outcome not in UNUSABLE:
        return True
    return catalogue.find(answer.model) is not catalogue.find(request.model)
