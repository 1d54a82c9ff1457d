"""Why something was not done, or not yet: each reason as its code, who refused, and words.

A `Why` is the text that is stored, so a code is spelled where it is declared and nowhere else.  Each
system declares its own beside its code; here are the core's, which every system may store.  Words go
after *because*; ``{}`` in them is the name of the vendor that the action was at.  A code that ends in ``:``
or ``_`` is the beginning of others: there ``{}`` is the rest in words, and ``{name}`` the rest as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import ModuleType
from typing import Self

from chalicelib import errors


class By(StrEnum):
    """Who is behind a reason: the side that refused, stopped or failed."""

    RECIPIENT = "recipient"
    PERSON = "person"
    """A person of the company, or an operator."""
    REGISTER = "register"
    COMPANY = "company"
    """Something that a company runs or keeps: its endpoint, its secrets."""
    PROJECT = "project"
    """Something that is set for a project."""
    SWITCH = "switch"
    VENDOR = "vendor"
    LIMIT = "limit"
    US = "us"


class Why(str):
    """The code of a reason, which is a string, with who is behind it and words for a reader.

    Attributes:
        by: who refused, stopped or failed.
        words: for a reader who does not know the code.
    """

    __slots__ = ("by", "words")
    by: By
    words: str

    def __new__(cls, code: str, by: By, words: str) -> Self:
        """Make a reason whose text is its code."""
        made = super().__new__(cls, code)
        made.by, made.words = by, words
        return made

    def __reduce__(self) -> tuple[type[Why], tuple[str, By, str]]:
        """The arguments by which pickle and copy make a reason again."""
        return Why, (str(self), self.by, self.words)


def declared(*modules: ModuleType) -> Mapping[str, Why]:
    """The reasons that these modules declare, by code."""
    found = (var for module in modules for var in vars(module).values())
    return {str(reason): reason for reason in found if isinstance(reason, Why)}


# --- what the end of an event begins with ---------------------------------------------------------

DEAD_LETTER = Why("dead_letter:", By.US, "it was given up after ten attempts: {}")
REFUSED = Why("refused:", By.US, "it was refused: {}")
WITHHELD = Why("withheld:", By.US, "{}")
UNKNOWN = Why("unknown:", By.US, "a request left and no usable answer came: {}")
INTERRUPTED = Why("interrupted:", By.US, "a worker died while it waited for the answer: {}")
BUG = Why("bug_", By.US, "our own code failed ({name})")

# --- switches -------------------------------------------------------------------------------------

KILL_SWITCH = Why("kill_switch", By.SWITCH, "the switch kill_switch was on")
SHADOW = Why("shadow", By.SWITCH, "the switch shadow_mode was on")
SAFE_MODE = Why("safe_mode", By.SWITCH, "the switch safe_mode was on")
AUTOMATION_DISABLED = Why("automation_disabled", By.SWITCH, "automatic replies were switched off")
SWITCH_FLIPPED = Why("switch_flipped", By.SWITCH, "a switch was changed at that moment")
STOPPED_REPEATABLE = Why(
    "stopped_repeatable",
    By.SWITCH,
    "a switch stopped it before its outcome was known; it is repeated once the switch allows it",
)
STOPPED_UNSETTLED = Why(
    "stopped_unsettled", By.SWITCH, "a switch stopped it before its outcome was known"
)
SWITCHES_STALE = Why("switches_stale", By.US, "the switches could not be read in time")
SWITCHES_UNREADABLE = Why("switches_unreadable", By.US, "the switches could not be read")
SWITCH_UNREADABLE = Why("switches_unreadable:", By.US, "the switch {name} could not be read")

# --- an action ------------------------------------------------------------------------------------

ALREADY = Why("already", By.US, "its effect was already in place")
DEPENDENCY = Why("dependency", By.US, "an earlier step had not been done")
SETTLED = Why("settled", By.US, "{} showed it when it was asked")
BY_RECEIPT = Why("receipt", By.US, "{} has reported it")
BY_OPERATOR = Why("operator", By.PERSON, "an operator recorded the outcome")
ABANDONED = Why("operator:abandon", By.PERSON, "an operator gave it up; it may have been done")
REF_TAKEN = Why("ref_taken", By.US, "the vendor's id that came back belongs to another message")
CANNOT_BE_ASKED = Why("cannot_be_asked", By.US, "{} does not show whether it was done")
FOUND = Why("found", By.US, "{} showed it when it was asked")
MAY_BE_ANOTHERS = Why("may_be_anothers", By.US, "what {} shows may be the effect of another action")
MAY_STILL_LAND = Why("may_still_land", By.US, "it may still arrive at {}")
ABSENT_ONCE = Why("absent_once", By.US, "{} did not show it; it is asked once more")
ABSENT_TWICE = Why("absent_twice", By.US, "{} did not show it when it was asked twice")
ACTION_NOT_IN_PLAN = Why("action_not_in_plan", By.US, "the event has no such action")
SOURCE_EVENT_GONE = Why("source_event_gone", By.US, "the event to repeat is not kept any more")
SOURCE_EVENT_NOT_REBUILT = Why(
    "source_event_not_rebuilt", By.US, "the event to repeat cannot be made again from its row"
)
ERASED = Why("erased", By.PERSON, "the person's data were erased")
RESTORED = Why("restored", By.PERSON, "it had been done before the table was restored")

# --- a run of an event ----------------------------------------------------------------------------

BUSY = Why("busy", By.US, "another worker was processing the event")
ACTION_BUSY = Why("action_busy", By.US, "another worker had one of its actions")
ACTION_GONE = Why("action_gone", By.US, "the row of one of its actions was gone")
ACTION_LOST = Why("action_lost", By.US, "another worker took over one of its actions")
ACTION_TAKEN = Why("action_taken", By.US, "another worker took over one of its actions")
LEASE_LOST = Why("lease_lost", By.US, "another worker took the event over")
LEASE_TOO_SHORT = Why("lease_too_short", By.US, "too little time was left")
TIME_IS_UP = Why("time_is_up", By.US, "the worker's time was used up")
OUT_OF_TIME = Why("out_of_time", By.US, "the run's time was used up")
WORKER_DIED = Why("worker_died", By.US, "the worker died")
SWEPT = Why("swept", By.US, "the sweep found it at its vendor and queued it")
SWEEP_TAKEN = Why("sweep_taken", By.US, "another run of the sweep had begun")
SCHEDULED = Why("scheduled", By.US, "it was to be sent later")
BEHIND = Why("behind_another", By.US, "an earlier message of the conversation waited")
PLAN_NOT_KNOWN_HERE = Why("plan_not_known_here", By.US, "its plan was made by a newer release")
UNKNOWN_EVENT_KIND = Why(
    "unknown_event_kind", By.US, "the event is of a kind that only a newer release knows"
)
UNKNOWN_JOB_VERSION = Why(
    "unknown_job_version", By.US, "the job has a form that only a newer release knows"
)
UNDECODABLE = Why("undecodable", By.US, "its message on the queue could not be read")
UNSEALED = Why("unsealed", By.US, "its message on the queue was not sent by this stage")
RECEIPT_GONE = Why("receipt_gone", By.US, "only the receipt was kept, and its message is gone")
ENQUEUE_FAILED = Why("enqueue_failed", By.US, "the queue accepted nothing")
CONTENDED = Why("contended", By.US, "too many wrote to the same row at once")
TRANSACTION_CONFLICT = Why("TransactionConflict", By.US, "too many wrote to the same row at once")
NOTHING_NEW = Why("nothing_new", By.US, "there was no new message")
RESOLVED = Why(
    "resolved", By.US, "the ticket was read, and each new message became an event of its own"
)
UNPROCESSED = Why("unprocessed", By.US, "our own database carried out only a part of the request")
NOT_NEEDED = Why("not_needed", By.US, "it was done after all, so no person was needed")
REPEATED = Why("repeated", By.US, "the notice of its failure was repeated")

# --- vendors, as far as we refused ourselves --------------------------------------------------------

PACED = Why(errors.PACED, By.LIMIT, "our share of the rate limit of {} was used up")
SECRET_MISSING = Why("secret_missing", By.US, "the secret that it needs is missing")
SECRET_UNREADABLE = Why("secret_unreadable", By.US, "the secret that it needs could not be read")
KEY_MISSING = Why("key_missing", By.US, "one of our own keys is missing")
