"""Reads a push dataset back: its tables, its columns, and its facts by day.

Vendor facts (learn.microsoft.com, rest/api/power-bi/datasets/execute-queries-in-group):
``POST .../groups/{g}/datasets/{d}/executeQueries`` evaluates one DAX query, at most 120 a minute, with
at most 100,000 rows in its answer.  It needs the tenant setting "Dataset Execute Queries REST API",
and read and build permission on the dataset; without them it is refused, and only the tables of a push
dataset can be listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from chalicelib.errors import AuthError, PermanentError, TransientError
from chalicelib.facts.dataset import DIM_AGENT, FACT_EVENT, TABLES
from chalicelib.facts.posting.powerbi import PROVIDER, datasets_path
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.reasons import UNEXPECTED_ANSWER

COUNTS_BY_DAY = (
    f"EVALUATE SUMMARIZECOLUMNS({FACT_EVENT}[FactDateKey],"
    f' "Facts", DISTINCTCOUNT({FACT_EVENT}[EventID]))'
)
COUNTS_BY_AGENT = (
    f"EVALUATE SUMMARIZECOLUMNS({FACT_EVENT}[AgentID],"
    f' "Facts", DISTINCTCOUNT({FACT_EVENT}[EventID]))'
)
AGENTS = f"EVALUATE {DIM_AGENT}"
COLUMNS = "EVALUATE COLUMNSTATISTICS()"
_AGENT = f"{FACT_EVENT}[AgentID]"


@dataclass(frozen=True, slots=True)
class DatasetReader:
    """Reads the tables, columns and facts of one Power BI push dataset.

    Attributes:
        workspace_id: the dataset's group.
    """

    client: VendorClient
    workspace_id: str
    dataset_id: str

    def tables(self, *, deadline_seconds: float) -> frozenset[str] | None:
        """The names of the dataset's tables; None where the workspace has no such dataset.

        Raises:
            ProviderError: Power BI cannot be read now.
        """
        call = Call("list_tables", "GET", f"{self._path}/tables", is_repeatable=True)
        try:
            answer = self.client.send(call, deadline_seconds=deadline_seconds)
        except PermanentError:
            return None
        return frozenset(str(table.get("name")) for table in _dicts(answer.get("value")))

    def missing_columns(self, *, deadline_seconds: float) -> frozenset[str] | None:
        """The columns that facts need and the dataset lacks, as ``Table[Column]``.

        The result is None if the dataset cannot be queried.

        Raises:
            ProviderError: Power BI cannot be read now.
        """
        rows = self._evaluate(COLUMNS, deadline_seconds)
        if rows is None:
            return None
        there = {f"{row.get('[Table Name]')}[{row.get('[Column Name]')}]" for row in rows}
        wanted = {f"{table}[{column}]" for table, columns in TABLES.items() for column in columns}
        return frozenset(wanted - there)

    def counts_by_day(self, *, deadline_seconds: float) -> Mapping[str, int] | None:
        """The number of facts in the dataset by day, ``YYYY-MM-DD``, each fact counted once.

        The result is None if the dataset cannot be queried.

        Raises:
            ProviderError: Power BI cannot be read now.
        """
        rows = self._evaluate(COUNTS_BY_DAY, deadline_seconds)
        if rows is None:
            return None
        return {str(row[f"{FACT_EVENT}[FactDateKey]"])[:10]: int(row["[Facts]"]) for row in rows}

    def agents(self, *, deadline_seconds: float) -> Sequence[Mapping[str, Any]] | None:
        """The rows of table `DimAgent`, then for each agent that a fact names a row with the id alone.

        The result is None if the dataset cannot be queried.

        Raises:
            ProviderError: Power BI cannot be read now.
        """
        named = self._evaluate(AGENTS, deadline_seconds)
        counted = self._evaluate(COUNTS_BY_AGENT, deadline_seconds)
        if named is None or counted is None:
            return None
        return [*named, *({_AGENT: row.get(_AGENT)} for row in counted)]

    def _evaluate(self, query: str, deadline_seconds: float) -> list[Mapping[str, Any]] | None:
        call = Call(
            "execute_queries",
            "POST",
            f"{self._path}/executeQueries",
            is_repeatable=True,
            body={"queries": [{"query": query}], "serializerSettings": {"includeNulls": True}},
        )
        try:
            answer = self.client.send(call, deadline_seconds=deadline_seconds)
        except (AuthError, PermanentError):
            return None
        try:
            return list(_dicts(answer["results"][0]["tables"][0]["rows"]))
        except (KeyError, IndexError, TypeError):
            raise TransientError(PROVIDER, "execute_queries", reason=UNEXPECTED_ANSWER) from None

    @property
    def _path(self) -> str:
        return f"{datasets_path(self.workspace_id)}/{quote(self.dataset_id, safe='')}"


def _dicts(found: object) -> Iterable[Mapping[str, Any]]:
    return (entry for entry in found if isinstance(entry, dict)) if isinstance(found, list) else ()
