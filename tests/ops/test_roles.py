"""The role that a command's help names is enough for what it does, and the one before it is not."""

import pytest

from ops import roles
from tests.rigs.iam.guarding import Guard
from tests.rigs.iam.stage_roles import access, managed, person
from tests.rigs.ops_cli import runner, typer_commands
from tests.rigs.tickets import put_dead_letter

READS = {
    "explain": ("explain", "1042"),
    "unfinished": ("unfinished",),
    "journal": ("journal", "--since", "1h"),
    "switch get": ("switch", "get", "--history"),
    "handoff list": ("handoff", "list"),
    "dlq count": ("dlq", "count"),
    "company events": ("company", "events", "ci-aaa-001"),
    "company usage": ("company", "usage", "ci-aaa-001"),
    "cost": ("cost", "--company", "ci-aaa-001"),
    "facts pending": ("facts", "pending"),
    "facts failed": ("facts", "failed"),
    "support-settings history": ("support-settings", "history"),
}
REPAIRS = {
    "doctor": ("doctor",),
    "console sessions": ("console", "sessions"),
    "dlq list": ("dlq", "list"),
    "switch set": ("switch", "set", "safe_mode", "true"),
    "reconcile": ("reconcile",),
    "replay": ("replay", "--status", "processed", "--since", "1h", "--yes"),
}
SETS_UP = {"provision": ("provision",)}


@pytest.fixture
def aws(engine_aws):
    return engine_aws


@pytest.fixture
def guard(system, monkeypatch):
    system.post(system.ticket("1042"))
    system.run()
    return Guard(monkeypatch)


def test_every_command_names_its_role():
    found = typer_commands()
    assert roles.NEEDS.keys() <= found.keys(), "no role for a command that is gone"
    assert set(roles.NEEDS.values()) <= {*roles.ROLES, roles.ACCOUNT}
    for name, command in found.items():
        role = roles.of(name)
        wanted = role if role == roles.ACCOUNT else f"the role {role}"
        assert command.epilog == f"Needs {wanted}.", name


def test_a_role_is_made_of_declared_policies():
    made = {
        resource.properties["RoleName"]: [
            arn.rpartition("/")[2] for arn in resource.properties["ManagedPolicyArns"]
        ]
        for resource in access("dev").resources("AWS::IAM::Role")
    }
    for role in roles.ROLES:
        upto = roles.ROLES[: roles.ROLES.index(role) + 1]
        named = [f"rp-mw-dev-{policy}" for before in upto for policy in roles.POLICIES[before]]
        assert made.pop(f"rp-mw-dev-{role}") == named
    (of_deployer,) = made.values()
    people = {f"rp-mw-dev-{policy}" for of_role in roles.POLICIES.values() for policy in of_role}
    boundaries = {"rp-mw-dev-boundary", "rp-mw-dev-deploy-boundary"}
    assert people | {*of_deployer} | boundaries == managed("dev").keys()


def test_a_commands_role_allows_what_it_calls_and_the_role_before_does_not(guard, capsys):
    """Reads are a viewer's; what writes, or asks a vendor, is not; nor is what makes resources."""
    run = runner(capsys)
    assert run("access").code == 0
    for group in (READS, REPAIRS, SETS_UP):
        for name, arguments in group.items():
            role = roles.of(name)
            if role != roles.VIEWER:
                before = roles.ROLES[roles.ROLES.index(role) - 1]
                with guard.acting_as(person("dev", before)):
                    run(*arguments)
                assert guard.refused, f"{name} needs less than {role}"
            guard.refused.clear()
            guard.evaluated = 0
            with guard.acting_as(person("dev", role)):
                said = run(*arguments)
            assert said.code in (0, 1), (name, said)
            assert guard.refused == [], name
            assert guard.evaluated, name


def test_a_viewer_who_looks_a_message_up_is_told_that_dead_letters_were_not_asked(
    system, guard, capsys
):
    """Who looks at a dead letter takes it, if only for a minute."""
    put_dead_letter(system, "7")
    queued = system.post(system.ticket("8")).json_body["event_id"]
    with guard.acting_as(person("dev", roles.VIEWER)):
        said = runner(capsys)("explain", "3f6c1f1e-0000-4000-8000-000000000000")
    assert said.code == 1
    assert "the dead letters: your role may not take them; ask an operator" in said.err
    assert "sqs:ReceiveMessage" in {refusal.action for refusal in guard.refused}
    with guard.acting_as(person("dev", roles.VIEWER)):
        said = runner(capsys)("explain", queued)
    assert "the dead letters: your role may not take them; ask an operator" in said.err
