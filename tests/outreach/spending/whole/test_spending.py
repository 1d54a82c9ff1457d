"""What models cost is counted once, per call, conversation, project and day; a budget holds."""

import contextlib
from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.clock import SystemClock
from chalicelib.errors import TransientError
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.project.check import faults
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.budget_limits import Budget, BudgetReachedError, Budgets
from chalicelib.outreach.spending.cost_rows import CountedCall, Spending
from chalicelib.outreach.spending.counted_models import Accounting, CountedModel, Models
from chalicelib.outreach.spending.model_catalogue import ModelCatalogue
from chalicelib.outreach.spending.providers import ModelPair, Providers
from chalicelib.outreach.spending.unwritten import UnwrittenError
from chalicelib.vendors import openai as adapter
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import VendorApi, VendorClient
from chalicelib.vendors.language_model import ModelOutcome, ModelRequest, ModelTurn, Usage
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from local.vendors.openai import API_KEY, MODELS, SimulatedOpenAI
from tests.rigs.conversation_samples import new
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.rigs.tables import FaultyTable
from tests.simulation import tables

RECORD = Record(new("req1", "sms"))
SAME_PROJECT = Record(new("req2", "sms"))
OTHER = Record(new("req3", "sms", project_id="pi-bbb-001"))
USAGE = Usage(1000, 100, 1100)


@pytest.fixture
def log():
    return RecordingLog()


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def table():
    return FaultyTable(tables.conversations())


@pytest.fixture
def spending(table, clock, log):
    return Spending(table=table, clock=clock, log=log)


def call(number=1, *, cost=450, estimate=0):
    return CountedCall(f"resp_{number}", "gpt-5-mini", USAGE, cost, estimate)


def today(spending, record=RECORD):
    return spending.day_sums(record.company_id, record.project_id, spending._clock.now())


# --- counting ---------------------------------------------------------------------------------


def test_a_call_is_counted_once_for_its_conversation_and_its_projects_day(spending, clock):
    for _ in range(3):
        spending.count(RECORD, call(1))
    spending.count(SAME_PROJECT, call(2))
    spending.count(OTHER, call(3))
    sums = {"calls": 2, "input_tokens": 2000, "output_tokens": 200, "microusd": 900}
    sums["cached_tokens"] = 0
    assert today(spending) == {**sums, "committed": 900}
    assert today(spending, OTHER)["microusd"] == 450
    (counted,) = spending.calls_of(RECORD)
    assert (counted["model"], counted["microusd"], counted["input_tokens"]) == (
        "gpt-5-mini",
        450,
        1000,
    )
    assert len(spending.calls_of(SAME_PROJECT)) == 1
    clock.forward(86_400)
    assert today(spending)["calls"] == 0
    spending.count(RECORD, call(4))
    days = spending.sums_by_day(
        "ci-aaa-001", "pi-aaa-001", clock.now() - timedelta(days=9), clock.now()
    )
    assert [sums["calls"] for _, sums in days] == [2, 1]


def test_a_paid_answer_is_kept_though_it_could_not_be_counted(spending, table, log):
    table.fails["transact"] = [TransientError("dynamodb", "transact", reason="throttled")]
    spending.count(RECORD, call(1))
    assert "mw.model.uncounted" in log.metric_names()


# --- budgets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [None, 5, {}, {"cents_per_day": 0}, {"cents_per_day": "5"}])
def test_a_project_without_a_readable_budget_has_none(given):
    assert Budget.of(Project({"model_budget": given})) is None
    if given not in (None, {}):
        assert faults({"model_budget": given})


def test_a_budget_is_in_cents_and_its_soft_limit_in_percent():
    assert Budget.of(Project({"model_budget": {"cents_per_day": 5}})) == Budget(50_000, 40_000)
    half = {"cents_per_day": 5, "soft_percent": 50}
    assert Budget.of(Project({"model_budget": half})) == Budget(50_000, 25_000)


def test_requests_that_run_count_against_the_budget_and_others_do_not(spending):
    budget = Budget(1000, 800)
    assert spending.reserve(RECORD, budget, 600) == 600
    assert spending.reserve(SAME_PROJECT, budget, 600) == 600
    with pytest.raises(BudgetReachedError):
        spending.reserve(RECORD, budget, 1)
    assert spending.reserve(OTHER, budget, 600) == 600
    spending.count(RECORD, call(1, cost=100, estimate=600))
    spending.release(SAME_PROJECT, 600)
    assert today(spending)["committed"] == 100
    assert spending.reserve(RECORD, budget, 600) == 600
    assert spending.reserve(RECORD, None, 600) == 0


def test_the_soft_limit_is_reported_once_and_the_hard_one_each_time(spending, log):
    budget = Budget(1000, 800)
    for _ in range(12):
        with contextlib.suppress(BudgetReachedError):
            spending.reserve(RECORD, budget, 100)
    levels = [fields["level"] for name, _, fields in log.metrics if name == "mw.model.budget"]
    assert levels == ["soft", "hard", "hard"]


def test_a_conversations_budget_is_its_own_and_counts_every_day(spending, clock, log):
    setting = {"cents_per_conversation": 1}
    wrong = {"soft_percent": 50}
    found = [faults({"model_budget": given}) for given in (setting, wrong)]
    assert [any("model_budget" in fault for fault in listed) for listed in found] == [False, True]
    budget = Budget.of_conversation(Project({"model_budget": setting}))
    assert (budget, Budget.of(Project({"model_budget": setting}))) == (Budget(10_000, 8_000), None)
    assert spending.reserve_for_conversation(RECORD, None, 9_000) is None
    assert spending.reserve_for_conversation(RECORD, budget, 9_000) == 9_000
    spending.count(RECORD, replace(call(1, cost=5_000), of_conversation=9_000))
    spending.count(RECORD, replace(call(1, cost=5_000), of_conversation=9_000))
    assert spending.committed_by(RECORD) == 5_000, "once"
    clock.forward(86_400)
    assert spending.reserve_for_conversation(RECORD, budget, 6_000) == 6_000
    with pytest.raises(BudgetReachedError) as reached:
        spending.reserve_for_conversation(RECORD, budget, 1)
    assert reached.value.reason == "conversation_budget_reached"
    assert spending.reserve_for_conversation(SAME_PROJECT, budget, 6_000) == 6_000
    spending.release(RECORD, 0, 6_000)
    assert spending.committed_by(RECORD) == 5_000
    assert len(spending.calls_of(RECORD)) == 1, "the sum is no call"
    levels = [fields["level"] for name, _, fields in log.metrics if name == "mw.model.budget"]
    assert levels == ["soft", "soft", "hard"]


# --- a model with every call counted ----------------------------------------------------------


@pytest.fixture(scope="module")
def server():
    with SimulatedOpenAI() as running:
        yield running


@pytest.fixture
def counting(server, spending, log):
    server.reset()
    clock = SystemClock()
    client = VendorClient(
        api=VendorApi(
            provider="openai",
            base_url=server.base_url,
            authorize=adapter.bearer(lambda _refresh: API_KEY),
            error_code_at=adapter.ERROR_CODE_AT,
        ),
        clock=clock,
        log=log,
        rate_limit=RateLimit(provider="openai", clock=clock, pace=LevelPace(1000)),
        breaker=Breaker("openai", clock, failures_to_open=100),
    )
    budget = Budget(50_000, 40_000)
    catalogue = ModelCatalogue.declared(f'{{"{MODELS[0]}": [100, 100]}}')
    yield CountedModel(
        model=adapter.OpenAI(client=client, clock=clock),
        record=RECORD,
        budgets=Budgets(day=budget),
        accounting=Accounting(spending=spending, catalogue=catalogue, log=log),
    )
    server.clear_faults()


@pytest.fixture
def accounting_at_list(spending, log):
    return Accounting(spending=spending, catalogue=ModelCatalogue(), log=log)


def ask(counting, *, deadline_seconds=1.0, **changes):
    parts = {
        "model": MODELS[0],
        "instructions": "Greet.",
        "turns": [ModelTurn("user", "Hi")],
        "max_output_tokens": 100,
    }
    return counting.respond(ModelRequest(**(parts | changes)), deadline_seconds=deadline_seconds)


def test_an_answer_is_counted_at_its_own_price(counting, spending, log):
    answer = ask(counting)
    sums = today(spending)
    assert sums["microusd"] == sums["committed"] == answer.usage.total_tokens * 100
    assert ("mw.model.calls", 1, {"provider": "openai", "outcome": "completed"}) in log.metrics


def test_the_model_is_not_asked_once_the_budget_is_spent(counting, server):
    for _ in range(99):
        try:
            ask(counting, max_output_tokens=100)
        except BudgetReachedError:
            break
    asked = len(server.calls_of("respond"))
    assert 4 <= asked < 60
    with pytest.raises(BudgetReachedError):
        ask(counting)
    assert len(server.calls_of("respond")) == asked


def test_a_conversation_that_has_spent_its_own_budget_costs_its_project_nothing(
    counting, server, spending
):
    own = replace(counting, budgets=replace(counting.budgets, conversation=Budget(1, 1)))
    ask(own)
    before = today(spending)
    with pytest.raises(BudgetReachedError):
        ask(own)
    assert today(spending) == before
    ask(replace(own, record=SAME_PROJECT))
    spent = replace(own, record=SAME_PROJECT, budgets=Budgets(Budget(1, 1), Budget(9**9, 1)))
    committed = spending.committed_by(SAME_PROJECT)
    with pytest.raises(BudgetReachedError):
        ask(spent)
    assert spending.committed_by(SAME_PROJECT) == committed, "given back"


@pytest.mark.parametrize(
    ("fault", "is_kept"),
    [
        (("status", {"status": 503}), False),
        (("status", {"status": 429}), False),
        (("act_then_drop", {}), True),
        (("hang", {"seconds": 9}), True),
    ],
)
def test_an_answer_that_was_lost_may_have_been_charged(counting, server, spending, fault, is_kept):
    kind, settings = fault
    server.fault(kind, **settings)
    with pytest.raises(TransientError):
        ask(counting, deadline_seconds=0.5)
    assert (today(spending)["committed"] > 0) is is_kept
    assert today(spending)["calls"] == 0


@pytest.mark.parametrize(
    ("thinks", "efforts"),
    [(0, ["low"]), (4_000, ["low"]), (40_000, ["low", "none"])],
)
def test_a_model_that_thinks_too_long_is_asked_for_less_and_each_request_is_counted(
    counting, server, spending, thinks, efforts
):
    server.set_modes(thinks=thinks)
    answer = ask(replace(counting, budgets=Budgets()), deadline_seconds=20)
    assert (answer.outcome, answer.text) == (ModelOutcome.COMPLETED, "Thank you for your message.")
    asked = server.calls_of("respond")
    assert [request.body["reasoning"]["effort"] for request in asked] == efforts
    assert asked[0].body["max_output_tokens"] == 2100
    assert today(spending)["calls"] == len(efforts)


def test_a_model_that_refuses_is_asked_thrice_the_last_time_the_fallback(
    counting, server, spending
):
    server.set_modes(refuses=True)
    answer = ask(counting, fallback_model=MODELS[1], deadline_seconds=20)
    assert answer.outcome is ModelOutcome.REFUSED
    asked = [
        (request.body["model"], request.body["reasoning"]["effort"])
        for request in server.calls_of("respond")
    ]
    assert asked == [(MODELS[0], "low"), (MODELS[0], "none"), (MODELS[1], "low")]
    assert today(spending)["calls"] == 3


def test_without_time_for_another_request_the_answer_stays_unusable(counting, server):
    server.set_modes(refuses=True)
    assert ask(counting, deadline_seconds=1).outcome is ModelOutcome.REFUSED
    assert len(server.calls_of("respond")) == 1


def test_what_the_fallback_refuses_in_place_of_a_model_that_is_gone_is_final(counting, server):
    server.set_modes(refuses=True)
    server.models.remove(MODELS[0])
    answer = ask(counting, fallback_model=MODELS[1], deadline_seconds=20)
    assert answer.outcome is ModelOutcome.REFUSED
    assert [request.body["model"] for request in server.calls_of("respond")] == list(MODELS)


def test_a_slow_draft_leaves_its_message_no_time_for_another_and_its_check(counting, server):
    server.fault("slow", operation="respond", seconds=1)
    with counting.time.of_one_message(2.5):
        assert ask(counting, deadline_seconds=45).outcome is ModelOutcome.COMPLETED
        for request in (lambda: ask(counting), lambda: counting.moderate("Hi", deadline_seconds=9)):
            with pytest.raises(UnwrittenError) as caught:
                request()
            assert caught.value.reason == "out_of_time"
    assert len(server.calls) == 1


def test_an_unknown_model_costs_nothing_as_it_is_not_asked(counting, server, spending):
    with pytest.raises(UnwrittenError):
        ask(counting, model="gpt-5-chat")
    with pytest.raises(UnwrittenError):
        ask(counting, fallback_model="gpt-5-chat")
    assert server.calls_of("respond") == ()
    assert today(spending)["committed"] == 0


def test_a_prompt_that_the_vendor_has_kept_is_counted_and_priced_as_such(
    counting, spending, accounting_at_list
):
    own = replace(counting, accounting=accounting_at_list)
    instructions = "Greet them politely, and say who you are. " * 300
    first, second = (ask(own, instructions=instructions).usage for _ in range(2))
    assert first.cached_tokens == 0 < first.written_tokens
    assert second.cached_tokens > 2_900
    sums = today(spending)
    assert sums["cached_tokens"] == second.cached_tokens
    costs = [call["microusd"] for call in spending.calls_of(RECORD)]
    assert min(costs) * 5 < max(costs)


def test_a_project_chooses_its_provider(spending, log):
    settings = {"pi-bbb-001": {"ai_config": {"provider": "bedrock"}}}
    models = Models(
        providers=Providers(
            current=lambda record: Project(settings.get(record.project_id, {})),
            openai=ModelPair(MODELS[0]),
            bedrock=ModelPair("amazon.nova-lite-v1:0", "amazon.nova-micro-v1:0"),
        ),
        openai=lambda name: f"openai by {name}",
        bedrock=lambda: "bedrock",
        accounting=Accounting(spending=spending, catalogue=ModelCatalogue(), log=log),
    )
    with_key = Record({**RECORD.item, "ai_config": {"api_key_reference": "k1"}})
    assert models.writes_for(OTHER)
    assert models.model_of(OTHER).model == "bedrock"
    assert models.model_names(OTHER).fallback == "amazon.nova-micro-v1:0"
    assert models.writes_for(with_key)
    assert models.model_of(with_key).model == "openai by k1"
    assert not models.writes_for(RECORD), "it has no key"
