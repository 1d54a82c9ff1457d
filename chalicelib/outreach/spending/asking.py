"""How a model is asked for a message, and what is asked after an answer that cannot be used; pure.

What a model reasons has a budget of its own beside the answer's.  An answer that is cut off, or refused,
is asked for once more with the least effort that the model knows, and then of the fallback model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chalicelib.outreach.reasons import UNKNOWN_MODEL
from chalicelib.outreach.spending.model_catalogue import ModelCatalogue, ModelRow
from chalicelib.outreach.spending.unwritten import UnwrittenError
from chalicelib.vendors.language_model import ModelAnswer, ModelOutcome, ModelRequest

UNUSABLE = frozenset({ModelOutcome.INCOMPLETE, ModelOutcome.REFUSED})
"""Of answers that another request may better."""


def requests(request: ModelRequest, catalogue: ModelCatalogue) -> Iterator[ModelRequest]:
    """What is asked: the request itself, then each further one after an answer that is `UNUSABLE`.

    Raises:
        UnwrittenError: a model is not known.
    """
    first = known(catalogue, request.model)
    fallback = request.fallback_model
    rows = {request.model: first}
    if fallback is not None:
        rows[fallback] = known(catalogue, fallback)
    manners = {
        name: catalogue.manner(row, request.instructions, row.effort) for name, row in rows.items()
    }
    request = replace(request, manners=manners)
    yield request
    if first.efforts and first.effort != first.efforts[0]:
        least = catalogue.manner(first, request.instructions, first.efforts[0])
        yield replace(request, manners={**manners, request.model: least})
    if fallback not in (None, request.model):
        yield replace(request, model=fallback, fallback_model=None)


def known(catalogue: ModelCatalogue, name: str) -> ModelRow:
    """A model.

    Raises:
        UnwrittenError: it is not known, so neither is what it costs.
    """
    row = catalogue.find(name)
    if row is None:
        raise UnwrittenError(UNKNOWN_MODEL)
    return row


def is_final(answer: ModelAnswer, request: ModelRequest, catalogue: ModelCatalogue) -> bool:
    """Whether nothing more is asked: the answer can be used, or the fallback has given it already."""
    if answer.outcome not in UNUSABLE:
        return True
    return catalogue.find(answer.model) is not catalogue.find(request.model)
