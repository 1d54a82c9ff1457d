"""The map of senders: which one company each sending number or address belongs to.

The map is in the `company-data` table, one row per sender, under a key that no project can have,
because no company's id holds a ``#``::

    company_id        sender#+15550109001      the number in E.164, or the address in lower case
    project_id        owner
    owner_company_id  ci-aaa-001               the company that owns the sender, on every channel
    account_sid       AC...                    the Twilio account that signs its webhooks; texts only
    claimed_at        2026-11-20T09:00:00.000Z when the company last stored a project that uses it
    claim_id          9f86d081...              a new random id with every claim

`python -m ops company put` writes the row together with the project, `company map` for the stored
projects.  The row stays when a project changes its sender, so that late replies still reach their
company, until another company claims the sender.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from chalicelib.once.store import Item, Store

PREFIX = "sender#"


@dataclass(frozen=True, slots=True)
class Owner:
    """The company to which a sending number or address belongs.

    Attributes:
        account: the Twilio account that signs the sender's webhooks; None where unknown.
    """

    company_id: str
    account: str | None = field(default=None, repr=False)


def key(address: str) -> Item:
    """Key of a sender's row in the table `company-data`."""
    return {"company_id": f"{PREFIX}{address.strip().lower()}", "project_id": "owner"}


class Senders:
    """Finds the companies to which sending numbers and addresses belong."""

    def __init__(self, table: Store) -> None:
        self._table = table

    def owner_of(self, address: str) -> Owner | None:
        """The company that owns a number or address, by one read; None where the map has no row.

        Raises:
            TransientError: the table could not be read.
        """
        item = self._table.get(key(address), consistent=False)
        if item is None:
            return None
        return Owner(str(item["owner_company_id"]), item.get("account_sid"))
