"""Facts' reasons: why a delivery does not count, and why the writer does not post."""

from __future__ import annotations

from chalicelib.once.reasons import By, Why

NOT_TERMINAL = Why("not_terminal", By.VENDOR, "the communication had not ended")
NOT_ON_ROSTER = Why("not_on_roster", By.COMPANY, "the agent is not on the roster")
NOT_A_COMMUNICATION = Why("not_a_communication", By.VENDOR, "the record is not a communication")
NO_CONTENT = Why("no_content", By.VENDOR, "the delivery describes no communication")
TYPE_NOT_COUNTED = Why("type_not_counted", By.US, "its type is not counted")
INBOUND = Why("inbound", By.US, "only what agents have begun is counted")

REBUILD = Why("rebuild", By.PERSON, "the dataset is being rebuilt")
ASKED_TO = Why("asked_to", By.VENDOR, "Power BI asked us to wait")
BEHIND = Why("behind", By.US, "a sink first gets what it lacks from earlier runs")
HELD = Why("held", By.SWITCH, "a switch was on")
EVERY_ROW_REFUSED = Why("every_row_refused", By.VENDOR, "the dataset refused every row")
REPETITION_REFUSED = Why(
    "repetition_refused", By.VENDOR, "the dataset refused a batch that it may have already"
)
SWITCHED_OFF = Why("switched_off", By.SWITCH, "a switch was on")
NOT_SETTLED = Why("not_settled", By.US, "it is not known whether a batch was posted")
OPEN_BATCH = Why("open_batch", By.US, "a sink may have the fact while another lacks it")
LEASE_OVER = Why("lease_over", By.US, "the run's time was used up")
DIMENSION_TAKEN = Why("dimension_taken", By.US, "another run writes the same row")
NO_TABLE = Why("no_table", By.COMPANY, "OneLake has no such table")
FILES_LOST = Why("files_lost", By.COMPANY, "the table's folder in OneLake was created again")
FILE_TAKEN = Why("file_taken", By.COMPANY, "OneLake has a file with the next number")
ASSIGNMENT_TAKEN = Why("assignment_taken", By.US, "another run numbers the same files")
