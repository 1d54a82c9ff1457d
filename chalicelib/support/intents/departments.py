"""The team of each intent, as the tag by which a rule at Richpanel assigns the ticket to it."""

from __future__ import annotations

DEFAULT_ROUTE = "route-email-support-team"

ROUTES: dict[str, str] = {
    "order_status_tracking": DEFAULT_ROUTE,
    "shipping_delay_not_shipped": DEFAULT_ROUTE,
    "cancel_order": DEFAULT_ROUTE,
    "address_change_order_edit": DEFAULT_ROUTE,
    "cancel_subscription": DEFAULT_ROUTE,
    "billing_issue": DEFAULT_ROUTE,
    "unknown_other": DEFAULT_ROUTE,
    "order_status_delivery_issue": "route-returns-admin",
    "delivered_not_received": "route-returns-admin",
    "missing_items_in_shipment": "route-returns-admin",
    "wrong_item_received": "route-returns-admin",
    "damaged_item": "route-returns-admin",
    "return_request": "route-returns-admin",
    "exchange_request": "route-returns-admin",
    "refund_request": "route-returns-admin",
    "promo_discount_issue": "route-sales-team",
    "pre_purchase_question": "route-sales-team",
    "influencer_marketing_inquiry": "route-socialmedia-team",
    "social_media_support_request": "route-socialmedia-team",
    "technical_support": "route-technical-support-team",
    "phone_support_request": "route-phone-support-team",
    "tiktok_support_request": "route-tiktok-support",
    "chargeback_dispute": "route-chargebacks-disputes",
    "legal_threat": "route-leadership-team",
    "harassment_threats": "route-leadership-team",
    "fraud_suspected": "route-leadership-team",
}
"""Every intent and its route tag."""

LEADERSHIP = "route-leadership-team"
RISK_ROUTES: dict[str, str] = {
    "self_harm": LEADERSHIP,
    "safety_injury": LEADERSHIP,
    "harassment_threats": LEADERSHIP,
    "legal_threat": LEADERSHIP,
    "fraud_suspected": LEADERSHIP,
    "minor_involved": LEADERSHIP,
    "discrimination": LEADERSHIP,
    "privacy_request": LEADERSHIP,
    "press_regulator": LEADERSHIP,
    "chargeback": "route-chargebacks-disputes",
}
"""The team of each risk, the gravest first; other risks stay with the team of the intent."""
RISK_TAG = "mw-risk-{}"
ALARMING_RISKS = frozenset({"self_harm", "safety_injury"})
"""Risks that raise an alarm: a person may be hurt now."""

RISK_FLAGS: dict[str, str] = {
    "chargeback_dispute": "chargeback",
    "fraud_suspected": "fraud_suspected",
    "legal_threat": "legal_threat",
    "harassment_threats": "harassment_threats",
}
"""The risk flag of each intent that has one."""
