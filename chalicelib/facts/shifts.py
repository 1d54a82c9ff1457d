"""The agents' shifts, from a CSV file that the company keeps beside the archive.

::

    AgentID,LocalDate,ShiftStartLocal,ShiftEndLocal
    101,2026-11-20,08:00,16:30
    102,2026-11-20,22:00,06:00

A shift that ends before it starts ends on the next day.  A file with a bad line is refused whole.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from chalicelib.errors import PayloadError
from chalicelib.facts.model import Row


def _local(value: time) -> time:
    if value.tzinfo is not None:
        raise ValueError("has a zone, and times are the agent's local ones")
    return value


LocalTime = Annotated[time, AfterValidator(_local)]


class Shift(BaseModel):
    """One shift of an agent, a line of the company's file; its times are in the agent's own zone."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    agent_id: str = Field(alias="AgentID", pattern=r"^[0-9A-Za-z:-]{1,64}$")
    day: date = Field(alias="LocalDate", ge=date(1970, 1, 1), le=date(2999, 12, 31))
    start: LocalTime = Field(alias="ShiftStartLocal")
    end: LocalTime = Field(alias="ShiftEndLocal")

    def row(self) -> Row:
        """The shift as a row of table `DimShift`.

        The hours are rounded, as the column holds whole numbers.
        """
        starts, ends = datetime.combine(self.day, self.start), datetime.combine(self.day, self.end)
        if ends <= starts:
            ends += timedelta(days=1)
        return {
            "AgentID": self.agent_id,
            "LocalDate": f"{self.day}T00:00:00",
            "ShiftStartLocal": starts.isoformat(),
            "ShiftEndLocal": ends.isoformat(),
            "ShiftHours": round((ends - starts) / timedelta(hours=1)),
        }


def shift_rows(body: bytes) -> Sequence[Row]:
    """The rows of table `DimShift` for the company's file of shifts: one for each agent and start.

    Of two lines with the same agent and start, the last one counts.

    Raises:
        PayloadError: the file is not CSV in UTF-8 or has a bad line; the message names line and
            column, never a value.
    """
    try:
        lines = csv.DictReader(io.StringIO(body.decode("utf-8-sig")))
        rows: dict[tuple[object, ...], Row] = {}
        for number, line in enumerate(lines, start=2):
            row = _shift(line, number).row()
            rows[row["AgentID"], row["ShiftStartLocal"]] = row
    except (UnicodeDecodeError, csv.Error):
        raise PayloadError("shifts: not a CSV file in UTF-8") from None
    return tuple(rows.values())


def _shift(line: dict[str, str], number: int) -> Shift:
    try:
        return Shift.model_validate(line)
    except ValidationError as error:
        column = error.errors()[0]["loc"][0]
        raise PayloadError(f"shifts: line {number}, column {column}") from None
