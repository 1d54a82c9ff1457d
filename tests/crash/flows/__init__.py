"""All flows; a new one is a class in a module here and a line below."""

from tests.crash.flow import Flow
from tests.crash.flows.companies import Told, ToldLate
from tests.crash.flows.facts import Facts, FactsWithoutNumbers
from tests.crash.flows.outreach import MailConversation, Stopped, TextReply, WhatsAppStart
from tests.crash.flows.support import (
    AnsweredFromLinkedOrder,
    AskedThenAnswered,
    Notified,
    ReceivedAtTheDoor,
    Routed,
    SettledBySweep,
    TwoAtOnce,
)
from tests.crash.flows.waits import (
    AnsweredAfterPause,
    BeyondShare,
    LookedUpLater,
    Scheduled,
    ScheduledSoon,
    SetAside,
)

FLOWS: tuple[Flow, ...] = (
    Routed(),
    ReceivedAtTheDoor(),
    Notified(),
    AnsweredFromLinkedOrder(),
    AskedThenAnswered(),
    TwoAtOnce(),
    SettledBySweep(),
    LookedUpLater(),
    SetAside(),
    WhatsAppStart(),
    TextReply(),
    Stopped(),
    MailConversation(),
    Scheduled(),
    ScheduledSoon(),
    BeyondShare(),
    AnsweredAfterPause(),
    Told(),
    ToldLate(),
    Facts(),
    FactsWithoutNumbers(),
)
