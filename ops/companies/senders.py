"""Writes the map of senders: the company that owns each sender number or address.

A project claims each of its senders by a conditional write, in one transaction with the project
itself.  When two companies claim a sender at once, one is refused.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.aws.dynamo import Table
from chalicelib.clock import iso
from chalicelib.errors import UnavailableError
from chalicelib.once.store import Item, TransactionConflict, TransactionRefused
from chalicelib.outreach import senders
from chalicelib.outreach.channels import CREDENTIALS_FIELD_OF, SENDER_FIELD_OF, Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.project import Project
from ops.session import OpsError, Session

PAGE = 100


@dataclass(frozen=True, slots=True)
class Use:
    """One sender in a project's settings.

    Attributes:
        place: the setting that names the sender; messages show it instead of the sender.
        channel: the first channel that uses the sender.
    """

    place: str
    channel: Channel
    address: str


def uses(project: Project) -> list[Use]:
    """A project's senders, each once."""
    found: dict[str, Use] = {}
    for channel, name in SENDER_FIELD_OF.items():
        address = project.sender(channel)
        if address:
            row = senders.key(address)["company_id"]
            place = f"channel_config.{channel.value}.{name}"
            found.setdefault(row, Use(place, channel, address))
    return list(found.values())


def table(session: Session) -> Table:
    """The `company-data` table."""
    return session.services.table(session.services.settings.company_data_table)


def projects(session: Session) -> list[Project]:
    """Every stored project of every company."""
    found: list[Project] = []
    start: Item | None = None
    while True:
        page, start = table(session).scan_page(limit=PAGE, start=start, ConsistentRead=True)
        found += [Project(item) for item in page if "#" not in item["company_id"]]
        if start is None:
            return found


def record_of(project: Project, channel: Channel) -> Record:
    """A record with only what finding a channel's credentials needs."""
    return Record({"channel_method": channel, "channel_config": project.channel_settings(channel)})


def store(session: Session, item: dict[str, Any], *, entry: Sequence[Item] = ()) -> None:
    """Store a project and claim its senders for its company, all or nothing.

    Raises:
        OpsError: another company uses one of the senders, or claimed it meanwhile.
    """
    project = Project(item)
    claims = _claims(session, project)  # before the projects: a claim in between fails the write
    shared = faults(project, projects(session))
    if shared:
        raise OpsError("not stored: " + "; ".join(shared))
    _claim(session, project, claims, [table(session).putting(item), *entry])


def fill(session: Session) -> tuple[int, list[str]]:
    """Claim the senders of every stored project, except senders that two companies use.

    Returns:
        The number of projects whose senders are all claimed, and the faults of the others.
    """
    read = [(project, _claims(session, project)) for project in projects(session)]
    stored = projects(session)  # after the claims, as in `store`
    claimed: set[str] = set()  # two projects of a company may share a sender
    done, wrong = 0, []
    for project, claims in read:
        left = [claim for claim in claims if _row(claim[0]) not in claimed]
        try:
            shared = faults(project, stored)
            if not shared:
                _claim(session, project, left, [])
        except OpsError as error:
            shared = [str(error)]
        wrong += [f"{' '.join(project.ids)}: {fault}" for fault in shared]
        if not shared:
            claimed.update(_row(use) for use, _ in left)
            done += 1
    return done, wrong


def _row(use: Use) -> str:
    """The key of a sender's row in the map."""
    return str(senders.key(use.address)["company_id"])


def faults(mine: Project, stored: Sequence[Project]) -> list[str]:
    """A message for each sender of the project that another company uses too."""
    others: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for other in stored:
        if other.company_id != mine.company_id:
            for use in uses(other):
                others[senders.key(use.address)["company_id"]].add(other.ids)
    return [
        f"{use.place} is also used by {' '.join(project)}"
        for use in uses(mine)
        for project in sorted(others[senders.key(use.address)["company_id"]])
    ]


def unmapped(session: Session, project: Project) -> list[str]:
    """A message for each sender of a stored project that the map lacks or has wrong."""
    found = []
    for use, row in _claims(session, project):
        if row is None:
            found.append(f"{use.place} is not in the map: python -m ops company map")
        elif row["owner_company_id"] != project.company_id:
            found.append(f"{use.place} belongs to {row['owner_company_id']}")
        elif row.get("account_sid") != account(session, project, use):
            found.append(
                f"{use.place} has another Twilio account in the map: store the project again"
            )
    return found


def _claims(session: Session, project: Project) -> list[tuple[Use, Item | None]]:
    """The senders of a project with their rows of the map."""
    return [(use, table(session).get(senders.key(use.address))) for use in uses(project)]


def _claim(
    session: Session,
    project: Project,
    claims: list[tuple[Use, Item | None]],
    writes: list[Item],
) -> None:
    store_, mine = table(session), project.company_id
    for use, before in claims:
        row = {
            **senders.key(use.address),
            "owner_company_id": mine,
            "account_sid": account(session, project, use),
            "claimed_at": iso(session.services.clock.now()),
            "claim_id": secrets.token_hex(8),
        }
        row = {name: value for name, value in row.items() if value is not None}
        if before is None:
            writes.append(store_.putting(row, condition="attribute_not_exists(#company_id)"))
        else:  # the company's own claim, or another's that no project uses any more
            seen = before.get("claim_id")
            writes.append(store_.putting(row, condition="#claim_id = :seen", seen=seen))
    try:
        if writes:
            store_.transact(writes)
    except (TransactionRefused, TransactionConflict):
        raise OpsError("not stored: a sender was claimed by another project meanwhile") from None


def account(session: Session, project: Project, use: Use) -> str | None:
    """A sender's Twilio account SID; None for e-mail, or while its secret is not stored."""
    if use.channel not in CREDENTIALS_FIELD_OF:
        return None
    try:
        record = record_of(project, use.channel)
        return session.services.outreach_work.messages_of(record).account_of(record)
    except UnavailableError:
        return None
