"""Which company's share of a lane's workers a slow call counts against.

::

    lane             key        held in               expected to be
    outreach, email  company    a call of the model   slow
    outreach, email  company    a send                quick
    companies        endpoint   a post                slow, or failing

Only calls from a worker's job are counted: operators' commands hold no worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from chalicelib.once import keys
from chalicelib.once.current_job import CurrentJob
from chalicelib.once.lanes import COMPANIES, Lane
from chalicelib.once.share import Expected, LaneShare
from chalicelib.outreach.conversations.records import Record


def share_of_call(
    shares: LaneShares | None, record: Record, deadline_seconds: float, *, is_send: bool = False
) -> AbstractContextManager[None]:
    """A context that counts a call against its company's share; it does nothing if `shares` is None."""
    if shares is None:
        return nullcontext()
    return shares.of_company(record, deadline_seconds, is_send=is_send)


class LaneShares:
    """Counts slow calls of workers against companies' shares of the lanes.

    Args:
        share: the share counter of a lane.
        current: the job that this thread works on.
    """

    def __init__(self, share: Callable[[Lane], LaneShare], current: CurrentJob) -> None:
        self._share = share
        self._current = current

    @contextmanager
    def of_company(
        self, record: Record, deadline_seconds: float, *, is_send: bool = False
    ) -> Iterator[None]:
        """A context that counts a send or a model's call against the company's share while it runs.

        Raises:
            PacedError: the company's share of the lane's workers, or the whole lane, is in use; nothing
                was called.
        """
        lane = record.channel.traits.lane
        with self._share_of_key(
            lane, record.company_id, deadline_seconds, Expected.QUICK if is_send else Expected.SLOW
        ):
            yield

    @contextmanager
    def of_endpoint(
        self, company_id: str, project_id: str, deadline_seconds: float, *, is_failing: bool
    ) -> Iterator[None]:
        """A context that counts a post against the share of the project's endpoint while it runs.

        Raises:
            PacedError: the endpoint's share of the lane's workers, or the whole lane, is in use; nothing
                was called.
        """
        key = keys.joined(company_id, project_id)
        with self._share_of_key(
            COMPANIES, key, deadline_seconds, Expected.FAILING if is_failing else Expected.SLOW
        ):
            yield

    @contextmanager
    def _share_of_key(
        self, lane: Lane, key: str, deadline_seconds: float, expected: Expected
    ) -> Iterator[None]:
        place = self._current.place
        if place is None:
            yield
            return
        opaque_key = keys.digest("share", key)[:32]
        with self._share(lane).calling(
            opaque_key, deadline_seconds, job=place.number, expected=expected
        ):
            yield
