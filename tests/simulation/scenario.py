"""The workload of one seed: messages, copies, switch flips and deployments, with their times.

Four kinds of traffic share one schedule: tickets under the flow of `flow` (with the most kinds),
tickets under the product's own support flow, outreach, and facts.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

from chalicelib.outreach.spending.budget_limits import BUDGET_REACHED, CONVERSATION_BUDGET_REACHED
from tests.simulation import (
    crowds,
    follow_ups,
    neighbours,
    partials,
    quotes,
    spoils,
    staleness,
    wordings,
)
from tests.simulation.faults import Fault, Port, PortByName, drawn
from tests.simulation.flow import REPLIES
from tests.simulation.partials import Partial
from tests.simulation.spoils import Spoil
from tests.simulation.staleness import Lag
from tests.simulation.tools import REQUEST

EPOCH = 1_790_000_000.0
"""When a schedule begins."""
CANARY = "canary-7f3b"
"""Part of every customer text and address; never seen outside the queue and the provider."""
RECIPIENTS = "+1555014"
"""The prefix of every recipient's number."""
CANARIES = (CANARY, RECIPIENTS)

TEXTS = (
    "where is my order 1234567",
    "i want a refund",
    "refund please",
    "this is fraud",
    "cancel my order",
    "hello",
    "i want to exchange the shirt",
)
QUESTIONS = (
    "where is my order #100234?",
    "where is my order?",
    "my order number is 100235",
    "has my order #100236 shipped yet?",
    "the parcel arrived damaged",
    "this is fraud, I will call my bank",
    "thank you",
)
PLAIN_ANSWERS = ("yes please", "tell me more", "what is this?")
"""Messages that the machine answers by itself."""
ANSWERS = (
    *("yes please", "tell me more", "can a human call me", "STOP", "no", "what is this?"),
    *("START", "", "I am away until Monday"),
)
"""The recipients' messages; the empty one is a picture, the last one comes from a machine."""
DELAYS = (0.0, 0.001, 0.3, 5.0, 90.0, 290.0, 310.0, 4_000.0, 104_000.0)
"""Delays of a copy: none, inside the queue's window, at its edge, up to 29 hours."""
CALLS_AN_EVENT = 55
CALLS_OF = {"ticket": 23, "start": 43, "says": 28, "batch": 6, "write": 17, "sweep": 25, "copy": 3}
"""About how many calls each entry of a schedule causes, so that faults fall among them."""
MOST_FAULTS = 24
SWITCHES = ("kill_switch", "safe_mode", "automation_enabled", "shadow_mode")
QUIET_UNTIL = ("14:20", "15:30")
HELD = ("auto_queue_initial_message", "auto_queue_reply_message")
SECRETS = (
    *("first/twilio", "second/twilio", "twilio/webhook_tokens"),
    *("richpanel/api_key", "powerbi/client_secret"),
)
"""The vendors' secrets: of each company, and of the stage."""
_FOR_GOOD = 1e9
"""Seconds beyond the end of every schedule; a recorded one holds no infinity."""
_STORE = frozenset({Port.READ, Port.WRITE, Port.TRANSACT})
_QUEUE = frozenset({Port.SEND, Port.DEFER})
_SWITCHES = frozenset({Port.SWITCHES})


@dataclass(frozen=True, slots=True)
class Post:
    """One webhook request about a ticket.

    Attributes:
        wrote_at: when the customer wrote it.
        form: ``id`` names the comment, ``thin`` names the ticket only, ``broken`` is no JSON.
    """

    at: float
    conversation_id: str
    comment_id: str
    text: str = field(repr=False)
    form: str
    is_copy: bool
    wrote_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Start:
    """One request of the Channel Router."""

    at: float
    request_id: str
    channel: str
    recipient: str = field(repr=False)
    is_copy: bool = False


@dataclass(frozen=True, slots=True)
class Says:
    """A recipient's message.

    Attributes:
        is_elsewhere: an e-mail from another address of theirs, to the reply address they were given.
        sender: the address of an e-mail that does not come from the recipient's own.
        quotes: it quotes one of the messages that the recipient has got, counted from 1; 0 for none.
        is_click: no e-mail but a click on the link that unsubscribes.
        is_unproven: an e-mail whose domain does not answer for it.
    """

    at: float
    channel: str
    recipient: str = field(repr=False)
    message: int
    text: str = field(repr=False)
    is_copy: bool = False
    is_elsewhere: bool = False
    sender: str = ""
    quotes: int = 0
    is_click: bool = False
    is_unproven: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """One request of HubSpot: the numbers of the objects whose events it contains."""

    at: float
    objects: tuple[int, ...]
    is_copy: bool = False


@dataclass(frozen=True, slots=True)
class Flip:
    """A switch is set to a value."""

    at: float
    name: str
    value: bool


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything that is decided before the first call.

    Attributes:
        skews: the containers' clocks, seconds from the true time; any two of all parties differ
            by 120 at most.
        other_skews: the clocks of door, sweeps, writer and providers.
        outage: the period in which no provider can be reached.
        replays: when an operator replays which event, by number.
        writes: when the fact writer runs.
        late_ttl: after a month TTL deletes only some of the expired rows, and copies come again.
        unavailable: AWS ports that answer no call, with the period.
        jumps: when which container's clock is set, and to which skew.
        resumes: when an operator replays which outreach event, by number.
        approvals: when a person releases everything that was handed off.
        held: the project's setting that makes messages wait for a person, if any.
        echoes: the provider sends webhooks about our own replies too.
        failing_ticket: a ticket at which every request fails, and until when.
        failing: key prefixes of outreach events that cannot be planned, or of actions whose vendor
            cannot be reached, each with its period.
        ticks: when the sweep runs on its schedule.
        effect_faults: faults at effects, numbered separately: effects are few among all calls.
        bad_news: what carriers report of some accepted messages: ``undelivered``, although the
            recipient may have them, or ``opted_out``.
        takes: when a person takes over everything that was handed off.
        desk: when a person takes, answers or gives back what is handed off, each asked for twice.
        quiet_until: the end of the project's current quiet hours; none where empty.
        is_written: a model writes the messages, each time in other words.
        resends: when an operator resends which finished action, by number.
        provider_apart: seconds by which the providers' clock differs from all of ours besides.
        quiet_period: seconds that the project's quick messages wait for each other; 0 for not at all.
        texts_unreported: no status callback of a text ever arrives: only the list shows it.
        spoils: responses of vendors that are not the usual ones, or pretend.
        partials: batches of writes of which some statements fail.
        lags: when reads that need not be consistent are behind, and by how much.
        deleted: secrets that are deleted, each with its period.
        crowd: how many rows wait in the ledger that no sweep can finish.
        neighbour: what is wrong with the second company alone, if anything.
        endpoint: the period in which the companies' endpoints are down; None where they have none.
        tools: what a tool that the model asks for is: ``plain``, ``confirmed`` by the recipient
            first, or none where empty.
        follow_ups: what the projects declare to follow an opening, of `follow_ups.KINDS`; nothing
            where empty.
        spent: a reason of `spending.budget_limits`: which budget of the model's is reached, with its period.
    """

    seed: int
    posts: tuple[Post, ...]
    flips: tuple[Flip, ...]
    deploys: tuple[float, ...]
    replays: tuple[tuple[float, int], ...]
    redrives: tuple[float, ...]
    sweeps: tuple[float, ...]
    outage: tuple[float, float]
    skews: tuple[float, ...]
    reply: str
    lag_seconds: float
    ingress_ledger: bool
    sender_repeats: bool
    faults: tuple[Fault, ...]
    other_skews: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    starts: tuple[Start, ...] = ()
    says: tuple[Says, ...] = ()
    batches: tuple[Batch, ...] = ()
    writes: tuple[float, ...] = ()
    is_numbered: bool = True
    late_ttl: bool = False
    unavailable: tuple[tuple[frozenset[PortByName], float, float], ...] = ()
    jumps: tuple[tuple[float, int, float], ...] = ()
    resumes: tuple[tuple[float, int], ...] = ()
    approvals: tuple[float, ...] = ()
    held: str = ""
    echoes: bool = False
    failing_ticket: tuple[str, float] = ("", 0.0)
    failing: tuple[tuple[str, float, float], ...] = ()
    ticks: tuple[float, ...] = ()
    effect_faults: tuple[Fault, ...] = ()
    bad_news: str = ""
    takes: tuple[float, ...] = ()
    desk: tuple[float, ...] = ()
    quiet_until: str = ""
    is_written: bool = False
    resends: tuple[tuple[float, int], ...] = ()
    provider_apart: float = 0.0
    texts_unreported: bool = False
    quiet_period: int = 0
    spoils: tuple[Spoil, ...] = ()
    partials: tuple[Partial, ...] = ()
    lags: tuple[Lag, ...] = ()
    deleted: tuple[tuple[str, float, float], ...] = ()
    crowd: int = 0
    neighbour: str = ""
    endpoint: tuple[float, float] | None = None
    tools: str = ""
    follow_ups: str = ""
    spent: tuple[str, float, float] = ("", 0.0, 0.0)


def scenario(seed: int) -> Scenario:
    """The scenario of a seed; the same in every process and version."""
    rng = random.Random(seed ^ 0x317)
    alone = tickets_alone(seed)
    if rng.random() < 0.4:
        alone = replace(alone, posts=())
    posts = list(alone.posts)
    for conversation in range(rng.choice((0, 1, 1, 2))):
        posts += _questions(rng, f"s{conversation}")
    starts, says = _outreach(rng)
    batches, writes = _facts(rng)
    counted = [("ticket", posts), ("start", starts), ("says", says), ("batch", batches)]
    calls = len(writes) * CALLS_OF["write"] + len(alone.sweeps) * CALLS_OF["sweep"]
    calls += sum(
        CALLS_OF["copy" if item.is_copy else name] for name, listed in counted for item in listed
    )
    posts = [delayed(rng, post) for post in posts]
    starts += _once_more(random.Random(seed ^ 0x0DD), starts)
    skews = _skews(rng, 7)
    says = _elsewhere(random.Random(seed ^ 0xE15E), says)
    apart = random.Random(seed ^ 0x9A12)
    says = quotes.quoting(apart, quotes.unsubscribing(apart, says))
    whole = replace(
        alone,
        **_beside(random.Random(seed ^ 0xBE51DE), skews),
        **_at_the_wire(random.Random(seed ^ 0x317E)),
        posts=tuple(posts),
        starts=tuple(starts),
        says=wordings.drawn(seed, says),
        batches=tuple(batches),
        writes=tuple(writes),
        quiet_period=random.Random(seed ^ 0x9E57).choice((0, 0, 5, 10, 50)),
        skews=tuple(skews[:3]),
        other_skews=tuple(skews[3:]),
        endpoint=_endpoint(random.Random(seed ^ 0xE7D)),
        follow_ups=follow_ups.drawn(random.Random(seed ^ 0xF0110)),
        spent=_spent(random.Random(seed ^ 0x5BE47)),
        is_numbered=rng.random() < 0.5,
        late_ttl=rng.random() < 0.1,
        faults=tuple(drawn(rng, calls=calls + 10, most=MOST_FAULTS)),
    )
    whole = _with_a_tool(random.Random(seed ^ 0x7001D), whole)
    return _with_a_neighbour(random.Random(seed ^ 0x2C0), whole)


def tickets_alone(seed: int) -> Scenario:
    """The tickets of `flow` by themselves."""
    rng = random.Random(seed)
    posts: list[Post] = []
    events = 0
    for conversation in range(rng.choice((1, 1, 2, 3))):
        at = rng.random() * 60
        for number in range(rng.choice((1, 1, 2, 3))):
            at += rng.choice((0.0002, 0.5, 20.0, 400.0, 4_000.0)) * rng.random()
            events += 1
            posts += _posts(rng, at, f"t{conversation}", f"c{number}")
    horizon = max(post.at for post in posts)
    flips: list[Flip] = []
    if rng.random() < 0.3:
        flips = _flips(rng, horizon)
    start = rng.random() * 600
    outage = (start, start + 7_200) if rng.random() < 0.05 else (0.0, 0.0)
    return Scenario(
        seed=seed,
        posts=tuple(posts),
        flips=tuple(flips),
        deploys=tuple(sorted(rng.random() * 900 for _ in range(rng.choice((0, 0, 1, 2))))),
        replays=tuple(
            (rng.random() * 9_000, rng.randrange(9)) for _ in range(rng.choice((0, 0, 2)))
        ),
        redrives=tuple(rng.random() * 20_000 for _ in range(rng.choice((0, 0, 1)))),
        sweeps=tuple(sorted(rng.random() * 3_000 for _ in range(rng.choice((0, 1, 2))))),
        outage=outage,
        skews=tuple(rng.uniform(-60, 60) for _ in range(3)),
        reply=rng.choice(REPLIES),
        lag_seconds=rng.choice((0.0, 0.0, 8.0, 45.0)),
        ingress_ledger=rng.random() < 0.4,
        sender_repeats=rng.random() < 0.7,
        faults=tuple(drawn(_after_one(rng), calls=events * CALLS_AN_EVENT + 10)),
    )


def _after_one(rng: random.Random) -> random.Random:
    rng.random()
    return rng


def _posts(rng: random.Random, at: float, conversation_id: str, comment_id: str) -> list[Post]:
    text = f"{rng.choice(TEXTS)} My email is {CANARY}@example.com"
    return _with_copies(rng, at, conversation_id, comment_id, text)


def _with_copies(
    rng: random.Random, at: float, conversation_id: str, comment_id: str, text: str
) -> list[Post]:
    form = rng.choice(("id", "id", "id", "thin", "broken"))
    posts = [Post(at, conversation_id, comment_id, text, form, is_copy=False, wrote_at=at)]
    for _ in range(rng.choice((0, 0, 0, 1, 1, 3))):
        later = at + rng.choice(DELAYS)
        copy_form = rng.choice((form, "id", "thin"))
        posts.append(
            Post(later, conversation_id, comment_id, text, copy_form, is_copy=True, wrote_at=at)
        )
    return posts


def _questions(rng: random.Random, conversation_id: str) -> list[Post]:
    posts: list[Post] = []
    at = rng.random() * 60
    for number in range(rng.choice((1, 1, 2, 3))):
        at += rng.choice((0.5, 20.0, 400.0, 4_000.0)) * rng.random()
        text = f"{rng.choice(QUESTIONS)} My email is {CANARY}@example.com"
        posts += _with_copies(rng, at, conversation_id, f"c{number}", text)
    return posts


def delayed(rng: random.Random, post: Post, share: float = 0.1) -> Post:
    """A webhook that its successors may overtake."""
    if post.is_copy or rng.random() > share:
        return post
    return replace(post, at=post.at + rng.choice((1.0, 30.0, 500.0)) * rng.random())


def recipient(channel: str, number: int) -> str:
    """A recipient's address; the privacy checks search for it."""
    return f"{CANARY}.{number}@example.com" if channel == "email" else f"{RECIPIENTS}{number:04}"


def _outreach(rng: random.Random) -> tuple[list[Start], list[Says]]:
    starts: list[Start] = []
    says: list[Says] = []
    for number in range(rng.choice((0, 1, 1, 2))):
        channel = rng.choice(("whatsapp", "sms", "email"))
        to = recipient(channel, number)
        at = rng.random() * 60
        start = Start(at, f"req{number}", channel, to)
        starts.append(start)
        starts += [
            replace(start, at=at + rng.choice(DELAYS), is_copy=True)
            for _ in range(rng.choice((0, 0, 1, 2)))
        ]
        for message in range(rng.choice((0, 1, 1, 2, 3))):
            at += rng.choice((2.0, 60.0, 900.0, 5_000.0)) * rng.random()
            said = Says(at, channel, to, message, f"{rng.choice(ANSWERS)}")
            says.append(said)
            says += [
                replace(said, at=at + rng.choice(DELAYS), is_copy=True)
                for _ in range(rng.choice((0, 0, 0, 1, 2)))
            ]
    return starts, says


def _once_more(rng: random.Random, starts: list[Start]) -> list[Start]:
    """Another conversation with the same recipient."""
    if not starts or rng.random() < 0.7:
        return []
    first = rng.choice(starts)
    at = first.at + rng.choice((0.5, 30.0, 900.0, 5_000.0)) * rng.random()
    return [replace(first, at=at, request_id="again", is_copy=False)]


def _elsewhere(rng: random.Random, says: list[Says]) -> list[Says]:
    """Some e-mails come from another address; a copy has the address of the first."""
    if rng.random() >= 0.4:
        return says
    chosen = {(said.recipient, said.message) for said in says if rng.random() < 0.5}
    return [
        replace(
            said, is_elsewhere=said.channel == "email" and (said.recipient, said.message) in chosen
        )
        for said in says
    ]


def _facts(rng: random.Random) -> tuple[list[Batch], list[float]]:
    batches: list[Batch] = []
    number = 1  # HubSpot numbers no object 0
    for _ in range(rng.choice((0, 0, 1, 2))):
        at, size = rng.random() * 300, rng.choice((1, 10, 50, 100))
        batch = Batch(at, tuple(range(number, number + size)))
        number += size
        batches.append(batch)
        for _ in range(rng.choice((0, 0, 1, 2))):
            some = batch.objects if rng.random() < 0.7 else batch.objects[::2]
            batches.append(Batch(at + rng.choice(DELAYS[:-1]), some, is_copy=True))
    writes = [rng.random() * 1_500 for _ in range(rng.choice((1, 2, 3)))] if batches else []
    return batches, sorted(writes)


def _beside(rng: random.Random, skews: list[float]) -> dict[str, Any]:
    """Fields added to schedules later: drawn separately, so that the other fields do not change."""
    start, seconds = rng.random() * 600, rng.choice((20.0, 60.0, 600.0))
    ports = rng.choice((_STORE, _QUEUE, _SWITCHES, _STORE | _QUEUE | _SWITCHES))
    low, high = min(0.0, *skews), max(0.0, *skews)
    return {
        "unavailable": ((ports, start, start + seconds),) if rng.random() < 0.06 else (),
        "jumps": tuple(
            (rng.random() * 900, rng.randrange(3), rng.uniform(low, high))
            for _ in range(rng.choice((0,) * 9 + (1, 2)))
        ),
        "resumes": tuple(
            (rng.random() * 9_000, rng.randrange(9)) for _ in range(rng.choice((0, 0, 0, 0, 2)))
        ),
        "approvals": tuple(rng.random() * 9_000 for _ in range(rng.choice((0, 0, 1, 3)))),
        "held": rng.choice(("",) * 8 + HELD),
        "echoes": rng.random() < 0.1,
        "ticks": tuple(300.0 * n for n in range(1, 9)) if rng.random() < 0.15 else (),
        "effect_faults": tuple(
            Fault(rng.randrange(20), rng.random(), rng.random(), pauses=False)
            for _ in range(rng.choice((0, 0, 0, 1, 1, 2)))
        ),
        "failing_ticket": (
            (rng.choice(("t0", "t1", "s0", "s1")), rng.choice((5_000.0, 12_000.0, 40_000.0)))
            if rng.random() < 0.08
            else ("", 0.0)
        ),
        "bad_news": rng.choice(("",) * 6 + ("undelivered", "undelivered", "opted_out")),
        "takes": tuple(rng.random() * 9_000 for _ in range(rng.choice((0, 0, 0, 1)))),
        "quiet_until": rng.choice(("",) * 8 + QUIET_UNTIL),
        "is_written": rng.random() < 0.3,
        "resends": tuple(
            (rng.random() * 9_000, rng.randrange(30)) for _ in range(rng.choice((0, 0, 0, 0, 2)))
        ),
        "provider_apart": rng.choice(
            (0.0,) * 8 + (-7_000.0, -400.0, -130.0, 130.0, 400.0, 7_000.0)
        ),
    }


def _at_the_wire(rng: random.Random) -> dict[str, Any]:
    """Faults of the vendors' own making, drawn separately likewise."""
    return {
        "spoils": spoils.drawn(rng, answers=60),
        "partials": partials.drawn(rng, batches=40),
        "lags": staleness.drawn(rng),
        "crowd": crowds.drawn(rng),
        "deleted": _deleted(rng),
        "texts_unreported": rng.random() < 0.12,
    }


def _endpoint(rng: random.Random) -> tuple[float, float] | None:
    """Whether the companies are told what happens, and when their endpoints are down."""
    begins = rng.random() * 900
    down = (begins, begins + rng.choice((0.0, 30.0, 600.0, 3_600.0)))
    return down if rng.random() < 0.2 else None


def _spent(rng: random.Random) -> tuple[str, float, float]:
    """Sometimes the model may write no more: for hours, or never again in a conversation."""
    begins, hours = rng.choice((0.0, 60.0, 900.0)) * rng.random(), rng.choice((1, 8))
    if rng.random() >= 0.1:
        return ("", 0.0, 0.0)
    if rng.random() < 0.5:
        return (BUDGET_REACHED, begins, begins + 3_600.0 * hours)
    return (CONVERSATION_BUDGET_REACHED, begins, _FOR_GOOD)


def _with_a_tool(rng: random.Random, whole: Scenario, share: float = 0.06) -> Scenario:
    """A few schedules in which some messages ask for a tool; `tool_schedules` has nothing else."""
    asking = {
        (said.recipient, said.message)
        for said in whole.says
        if rng.random() < 0.5 and said.text not in ("STOP", "unsubscribe")
    }
    if rng.random() >= share or whole.held or not asking:
        return whole
    return replace(
        whole,
        tools=rng.choice(("plain", "confirmed")),
        endpoint=whole.endpoint if rng.random() < 0.5 else (0.0, rng.choice((0.0, 900.0))),
        says=tuple(
            replace(said, text=REQUEST) if (said.recipient, said.message) in asking else said
            for said in whole.says
        ),
    )


def _with_a_neighbour(rng: random.Random, whole: Scenario) -> Scenario:
    channel = rng.choice(("whatsapp", "sms"))
    start = Start(rng.random() * 60, "beside", channel, recipient(channel, 1))
    return neighbours.beside_each_other(rng, whole, start)


def _deleted(rng: random.Random) -> tuple[tuple[str, float, float], ...]:
    """A secret that somebody deletes, and restores minutes or hours later."""
    if rng.random() >= 0.08:
        return ()
    begins = rng.random() * 900
    return ((rng.choice(SECRETS), begins, begins + rng.choice((60.0, 600.0, 4_000.0))),)


def _skews(rng: random.Random, count: int) -> list[float]:
    """Clocks of which no two, nor one and the true time, differ by more than 120 seconds."""
    low = rng.uniform(-120, 0)
    if rng.random() < 0.3:
        return [rng.choice((low, low + 120)) for _ in range(count)]
    return [rng.uniform(low, low + 120) for _ in range(count)]


def _flips(rng: random.Random, horizon: float) -> list[Flip]:
    flips = []
    for name in rng.sample(SWITCHES, 2):
        stops = name != "automation_enabled"
        on = rng.random() * horizon
        flips.append(Flip(on, name, stops))
        flips.append(Flip(on + rng.choice((10.0, 200.0, 3_000.0)), name, not stops))
    return sorted(flips, key=lambda flip: flip.at)
