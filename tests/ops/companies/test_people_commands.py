"""`ops company desk-proof` and `ops desk-token`: how a company's persons prove who they are."""

import json

import pytest

from chalicelib.outreach.people import proof_settings
from chalicelib.outreach.people.proof_settings import ProofKind
from tests.rigs.ops_cli import runner
from tests.rigs.ops_session import session as offline
from tests.rigs.people import IdentityProvider
from tests.simulation import tables

COMPANY = "ci-aaa-001"


@pytest.fixture
def ops(capsys, monkeypatch):
    made, table = offline(), tables.companies()
    known, name = made.services.table, made.services.settings.company_data_table
    monkeypatch.setattr(
        made.services, "table", lambda asked: table if asked == name else known(asked)
    )
    monkeypatch.setattr(made.services, "check_stage", lambda: None)
    monkeypatch.setattr("ops.command.Session", lambda *_: made)
    run = runner(capsys)
    run.services, run.table = made.services, table
    return run


def proof(ops):
    return proof_settings.proof_in(ops.table.get(proof_settings.row_key(COMPANY)))


@pytest.mark.parametrize("person", ["o'brien@example.com", "Ó Súilleabháin", "김"])
def test_a_token_is_issued_listed_and_revoked(ops, person):
    issued = ops("desk-token", "issue", COMPANY, person, "--role", "lead", "--json").data
    (token,) = ops("desk-token", "list", COMPANY, "--json").data
    assert (token["person"], token["role"], token["valid"]) == (issued["person"], "lead", True)
    assert issued["token"] not in str(token)
    assert ops("desk-token", "revoke", COMPANY, person).code == 0
    (token,) = ops("desk-token", "list", COMPANY, "--json").data
    assert token["valid"] is False
    assert ops("desk-token", "revoke", COMPANY, person).code == 1


def test_a_name_that_no_one_can_have_gets_no_token(ops):
    for name in ("", "a <b at c>", "sam\u202e", "<sam>"):
        assert ops("desk-token", "issue", COMPANY, name, "--role", "agent").code == 2


def test_how_persons_prove_themselves_is_set_and_taken_back(ops, tmp_path):
    file = tmp_path / "provider.json"
    file.write_text(json.dumps(IdentityProvider(ops.services.clock).settings()))
    words = ("company", "desk-proof", COMPANY, "--proof")
    assert ops(*words, "provider", "--file", str(file)).code == 0
    assert proof(ops).provider.audience == "desk"
    assert ops(*words, "tokens").code == 0
    assert proof(ops).proof == ProofKind.TOKENS
    assert ops(*words, "keys").code == 0
    assert (proof(ops).proof, proof(ops).provider) == (ProofKind.KEYS, None)


def test_a_provider_that_cannot_be_kept_to_is_refused_by_its_field(ops, tmp_path):
    file = tmp_path / "provider.json"
    words = ("company", "desk-proof", COMPANY, "--proof", "provider")
    assert ops(*words).code == 2
    for text, said in (("{", "not JSON"), ('{"issuer": "s3cret here"}', "audience")):
        file.write_text(text)
        refused = ops(*words, "--file", str(file))
        assert (refused.code, said in refused.err + refused.out) == (2, True)
        assert "s3cret" not in refused.err + refused.out
    assert proof(ops).proof == ProofKind.KEYS
