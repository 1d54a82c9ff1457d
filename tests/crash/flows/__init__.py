"""All flows; a new one is a class in a module here and a line below."""

from tests.crash.flow import Flow
from tests.crash.flows.companies import Told, ToldLate
from tests.crash.flows.desk import ApprovedEdited, PersonReplied
from tests.crash.flows.facts import Facts, FactsWithoutNumbers
from tests.crash.flows.outreach import (
    Doubted,
    Helped,
    MailConversation,
    Stopped,
    TextReply,
    WhatsAppStart,
)
from tests.crash.flows.support import (
    AnsweredFromLinkedOrder,
    AskedThenAnswered,
    Notified,
    ReceivedAtTheDoor,
    Routed,
    SettledBySweep,
    TwoAtOnce,
)
from tests.crash.flows.tools import (
    BudgetSpent,
    ToolAnswered,
    ToolCalled,
    ToolConfirmed,
    ToolFailed,
)
from tests.crash.flows.waits import (
    AnsweredAfterPause,
    BeyondShare,
    FollowedUp,
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
    Doubted(),
    Helped(),
    MailConversation(),
    Scheduled(),
    ScheduledSoon(),
    BeyondShare(),
    AnsweredAfterPause(),
    FollowedUp(),
    PersonReplied(),
    ApprovedEdited(),
    BudgetSpent(),
    Told(),
    ToldLate(),
    ToolCalled(),
    ToolConfirmed(),
    ToolAnswered(),
    ToolFailed(),
    Facts(),
    FactsWithoutNumbers(),
)
