"""The simulated Richpanel behaves as the real one was observed to."""

import time
from urllib.parse import quote

import pytest
import requests

from local.vendors.richpanel import API_KEY

MESSAGE_ID = "<CAMx/1@mail.example>"


@pytest.fixture
def api(richpanel):
    """Calls the API with the right key: api("GET", "/tickets/1042")."""
    with requests.Session() as session:
        session.headers["x-richpanel-key"] = API_KEY

        def call(method, path, body=None, **query):
            return session.request(
                method, f"{richpanel.url}/v1{path}", json=body, params=query, timeout=60
            )

        yield call


@pytest.mark.parametrize("headers", [{}, {"x-richpanel-key": "wrong"}])
def test_a_missing_or_wrong_key_is_401(richpanel, headers):
    answer = requests.get(f"{richpanel.url}/v1/tickets/1042", headers=headers, timeout=60)
    assert answer.status_code == 401
    assert "error" in answer.json()


def test_after_rotation_the_old_key_is_refused_and_the_new_one_accepted(richpanel, api):
    richpanel.add_ticket("1042")
    richpanel.api_keys[:] = ["new"]
    assert api("GET", "/tickets/1042").status_code == 401
    headers = {"x-richpanel-key": "new"}
    url = f"{richpanel.url}/v1/tickets/1042"
    assert requests.get(url, headers=headers, timeout=60).status_code == 200


def test_a_ticket_comes_in_an_envelope_with_its_comments_oldest_first(richpanel, api):
    richpanel.add_ticket("1042", comments=["Hello"], customer_email="a@shop.example", tags=["vip"])
    richpanel.add_comment("1042", "How can I help?", operator=True)
    ticket = api("GET", "/tickets/1042").json()["ticket"]
    assert (ticket["id"], ticket["status"], ticket["tags"]) == ("1042", "OPEN", ["vip"])
    assert [c["plain_body"] for c in ticket["comments"]] == ["Hello", "How can I help?"]
    assert [c["is_operator"] for c in ticket["comments"]] == [False, True]
    assert ticket["customer_profile"]["email"] == "a@shop.example"
    assert ticket["last_message_sender_type"] == "operator"
    assert api("GET", f"/tickets/number/{ticket['conversation_no']}").json()["ticket"] == ticket
    assert api("GET", "/tickets/email/a%40shop.example").json()["ticket"][0]["id"] == "1042"


def test_an_unknown_ticket_is_404(api):
    assert api("GET", "/tickets/none").status_code == 404
    assert api("GET", "/tickets/number/1").status_code == 404
    assert api("PUT", "/tickets/none/add-tags", {"tags": ["a"]}).status_code == 404


def test_tags_have_set_semantics_and_repeats_are_recorded_as_effects(richpanel, api):
    richpanel.add_ticket("1042")
    for tags in (["a", "b"], ["b", "c"]):
        assert api("PUT", "/tickets/1042/add-tags", {"tags": tags}).status_code == 200
    api("PUT", "/tickets/1042/remove-tags", {"tags": ["a", "never-there"]})
    assert richpanel.tags_of("1042") == {"b", "c"}
    assert richpanel.effects_of("1042", "tag_added") == {"a": 1, "b": 2, "c": 1}
    assert [effect.changed for effect in richpanel.effects] == [
        True,
        True,
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("body", [None, {}, {"tags": "a"}, {"tags": [1]}, {"tags": [""]}, ["a"]])
def test_tags_that_are_not_a_list_of_strings_are_400(richpanel, api, body):
    richpanel.add_ticket("1042")
    assert api("PUT", "/tickets/1042/add-tags", body).status_code == 400


def test_a_tenant_may_want_tag_ids(richpanel, api):
    richpanel.add_ticket("1042")
    richpanel.set_modes(tag_mode="id")
    tag_id = richpanel.tag_id("vip")
    assert api("GET", "/tags").json()["tag"] == [{"id": tag_id, "name": "vip"}]
    assert api("PUT", "/tickets/1042/add-tags", {"tags": ["vip"]}).status_code == 400
    assert api("PUT", "/tickets/1042/add-tags", {"tags": [tag_id]}).status_code == 200
    assert api("GET", "/tickets/1042").json()["ticket"]["tags"] == [tag_id]
    assert richpanel.tags_of("1042") == {"vip"}
    made = api("POST", "/tags", {"name": "new"}).json()["tag"]
    assert made["id"] == richpanel.tag_id("new")
    assert api("POST", "/tags", {"name": "new"}).status_code == 409


@pytest.mark.parametrize("raw", ["CAMx@mail.example", "a/b"])
def test_an_id_that_is_not_encoded_is_answered_200_and_changes_nothing(richpanel, api, raw):
    richpanel.add_ticket(raw)
    assert api("PUT", f"/tickets/{raw}/add-tags", {"tags": ["a"]}).status_code == 200
    assert richpanel.tags_of(raw) == set()
    assert richpanel.effects == ()


def test_an_encoded_message_id_is_a_ticket_like_any_other(richpanel, api):
    richpanel.add_ticket(MESSAGE_ID)
    path = f"/tickets/{quote(MESSAGE_ID, safe='')}"
    assert api("PUT", f"{path}/add-tags", {"tags": ["a"]}).status_code == 200
    assert richpanel.tags_of(MESSAGE_ID) == {"a"}
    assert api("GET", path).json()["ticket"]["id"] == MESSAGE_ID


def test_status_alone_is_answered_200_and_closes_nothing(richpanel, api):
    richpanel.add_ticket("1042")
    assert api("PUT", "/tickets/1042", {"ticket": {"status": "CLOSED"}}).status_code == 200
    assert richpanel.ticket("1042")["status"] == "OPEN"
    api("PUT", "/tickets/1042", {"ticket": {"status": "CLOSED", "state": "closed"}})
    assert richpanel.ticket("1042")["status"] == "CLOSED"
    api("PUT", "/tickets/1042", {"ticket": {"status": "OPEN", "state": "open"}})
    assert [effect.kind for effect in richpanel.effects] == ["closed", "reopened"]


def test_status_alone_closes_if_the_tenant_is_configured_so(richpanel, api):
    richpanel.add_ticket("1042")
    richpanel.set_modes(status_alone_closes=True)
    api("PUT", "/tickets/1042", {"ticket": {"status": "CLOSED"}})
    assert richpanel.ticket("1042")["status"] == "CLOSED"


@pytest.mark.parametrize("body", [{}, {"body": "Hi"}, {"author_id": "agent-1"}, None])
def test_a_message_needs_a_body_and_an_author(richpanel, api, body):
    richpanel.add_ticket("1042")
    assert api("PUT", "/tickets/1042/send-message", body).status_code == 400
    assert richpanel.effects == ()


def test_a_message_becomes_an_operator_comment(richpanel, api):
    richpanel.add_ticket("1042", comments=["Hello"])
    api("PUT", "/tickets/1042/send-message", {"body": "On its way", "author_id": "agent-1"})
    newest = api("GET", "/tickets/1042").json()["ticket"]["comments"][-1]
    assert (newest["is_operator"], newest["author_id"]) == (True, "agent-1")
    assert newest["plain_body"] == "On its way"
    assert [effect.kind for effect in richpanel.effects] == ["message"]


def test_an_accepted_message_can_lag_behind_in_reads(richpanel, api, monkeypatch):
    richpanel.add_ticket("1042")
    richpanel.set_modes(comment_lag_seconds=300)
    api("PUT", "/tickets/1042/send-message", {"body": "On its way", "author_id": "agent-1"})
    assert api("GET", "/tickets/1042").json()["ticket"]["comments"] == []
    assert len(richpanel.ticket("1042")["comments"]) == 1
    monkeypatch.setattr(richpanel, "_now", lambda: time.time() + 300)
    assert len(api("GET", "/tickets/1042").json()["ticket"]["comments"]) == 1


def test_an_update_comments_assigns_and_renames(richpanel, api):
    richpanel.add_ticket("1042")
    comment = {"body": "Note", "sender_type": "operator", "public": False}
    change = {"comment": comment, "assignee_id": "agent-1", "priority": "HIGH", "subject": "S"}
    api("PUT", "/tickets/1042", {"ticket": change})
    ticket = richpanel.ticket("1042")
    assert (ticket["assignee_id"], ticket["priority"], ticket["subject"]) == (
        "agent-1",
        "HIGH",
        "S",
    )
    assert ticket["comments"][0]["public"] is False
    api("PUT", "/tickets/1042", {"ticket": {"assignee_id": "unassigned"}})
    assert richpanel.ticket("1042")["assignee_id"] is None
    assert api("PUT", "/tickets/1042", {"no": "ticket"}).status_code == 400


def test_a_created_ticket_gets_an_id(richpanel, api):
    comment = {"body": "Hello", "sender_type": "customer", "public": True}
    made = api("POST", "/tickets", {"ticket": {"status": "OPEN", "comment": comment}})
    ticket_id = made.json()["ticket"]["id"]
    assert richpanel.ticket(ticket_id)["comments"][0]["is_operator"] is False
    assert api("POST", "/tickets", {"ticket": {}}).status_code == 400


def test_the_list_is_paged_filtered_and_sorted(richpanel, api):
    for number in range(5):
        richpanel.add_ticket(str(number), updated_at=f"2026-11-2{number}T00:00:00.000Z")
    richpanel.add_ticket("closed", status="CLOSED")
    first = api("GET", "/tickets", status="OPEN", page=1, per_page=2, order="DESC").json()
    assert ([t["id"] for t in first["ticket"]], first["count"]) == (["4", "3"], 5)
    assert first["previous_page"] is None
    assert "comments" not in first["ticket"][0]
    second = api("GET", "/tickets", status="OPEN", page=2, per_page=2).json()
    assert [t["id"] for t in second["ticket"]] == ["2", "1"]
    last = api("GET", "/tickets", status="OPEN", page=3, per_page=2, order="DESC").json()
    assert last["next_page"] is None
    since = api("GET", "/tickets", updated_at="2026-11-23", order="ASC").json()["ticket"]
    assert [t["id"] for t in since][-2:] == ["3", "4"] or "closed" in [t["id"] for t in since]
    assert "0" not in [t["id"] for t in since]


@pytest.mark.parametrize("query", [{"per_page": 101}, {"page": 0}, {"page": "x"}])
def test_a_page_out_of_bounds_is_400(api, query):
    assert api("GET", "/tickets", **query).status_code == 400


def test_the_list_can_be_forbidden_while_single_tickets_are_readable(richpanel, api):
    richpanel.add_ticket("1042")
    richpanel.set_modes(list_allowed=False)
    assert api("GET", "/tickets").status_code == 403
    assert api("GET", "/tickets/1042").status_code == 200


def test_the_lists_key_and_filters_depend_on_the_tenant(richpanel, api):
    richpanel.add_ticket("closed", status="CLOSED")
    richpanel.set_modes(list_key="tickets", filters_work=False, listed_with_comments=True)
    found = api("GET", "/tickets", status="OPEN").json()["tickets"]
    assert [t["id"] for t in found] == ["closed"]
    assert found[0]["comments"] == []


def test_users_teams_and_channels_are_listed_under_singular_keys(api):
    assert api("GET", "/users").json()["user"][0]["id"] == "agent-1"
    assert api("GET", "/teams").json()["team"][0]["name"] == "Support"
    assert api("GET", "/channel").json()["channel"]
    assert api("GET", "/nothing-of-the-kind").status_code == 404


def test_an_order_link_is_empty_until_an_order_is_linked(richpanel, api):
    richpanel.add_ticket("1042")
    assert api("GET", "/order/1042").json() == {}
    richpanel.link_order("1042", "shop", "9", {"fulfillmentStatus": "shipped"})
    assert api("GET", "/order/1042").json() == {"orderId": "9", "appClientId": "shop"}
    assert api("GET", "/order/shop/9").json()["fulfillmentStatus"] == "shipped"
    assert api("GET", "/order/shop/10").status_code == 404


def test_an_order_is_attached(richpanel, api):
    richpanel.add_ticket("1042")
    assert api("PUT", "/tickets/1042/attach-order/shop/9").status_code == 200
    assert api("GET", "/order/1042").json() == {"orderId": "9", "appClientId": "shop"}
    assert richpanel.effects_of("1042", "order_attached") == {"9": 1}


def test_another_process_adds_tickets_comments_and_orders(richpanel, api):
    admin = f"{richpanel.url}/_sim"
    ticket = {"id": MESSAGE_ID, "comments": ["Hello"], "tags": ["vip"]}
    assert requests.post(f"{admin}/tickets", json=ticket, timeout=60).status_code == 200
    path = f"{admin}/tickets/{quote(MESSAGE_ID, safe='')}"
    comment = {"body": "Hi", "operator": True, "id": "c-9"}
    assert requests.post(f"{path}/comments", json=comment, timeout=60).json() == {"id": "c-9"}
    order = {"app_client_id": "shop", "order_id": "9", "ticket_id": MESSAGE_ID}
    assert requests.post(f"{admin}/orders", json=order, timeout=60).status_code == 200
    api("PUT", f"/tickets/{quote(MESSAGE_ID, safe='')}/add-tags", {"tags": ["a"]})
    assert requests.get(path, timeout=60).json()["ticket"]["tags"] == ["vip", "a"]
    assert len(requests.get(f"{admin}/tickets", timeout=60).json()["tickets"]) == 1
    (effect,) = requests.get(f"{admin}/effects", timeout=60).json()["effects"]
    assert (effect["kind"], effect["value"], effect["changed"]) == ("tag_added", "a", True)
