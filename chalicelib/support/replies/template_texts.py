"""The texts of the templates, by id and language."""

from __future__ import annotations

from collections.abc import Mapping

_HI = "Hi{{#first_name}} {{first_name}}{{/first_name}},"
_HOLA = "Hola{{#first_name}} {{first_name}}{{/first_name}}:"

CLOSING: Mapping[str, str] = {
    "en": "{{support_signature}}\nRef. {{reference}}",
    "es": "{{support_signature}}\nRef. {{reference}}",
}
"""Ends every text; the reference lets read-back find the reply."""


def _english(text: str) -> Mapping[str, str]:
    return {"en": f"{_HI}\n\n{text}"}


TEXTS: Mapping[str, Mapping[str, str]] = {
    "t_order_status_verified": {
        "en": f"""{_HI}

Your order {{{{order_id}}}} is {{{{order_status}}}}\
{{{{#fulfillment_status}}}}; delivery status: {{{{fulfillment_status}}}}\
{{{{/fulfillment_status}}}}.
{{{{#tracking_number}}}}
Tracking number: {{{{tracking_number}}}}{{{{#tracking_company}}}} ({{{{tracking_company}}}})\
{{{{/tracking_company}}}}
{{{{/tracking_number}}}}
{{{{#tracking_url}}}}
Follow it here: {{{{tracking_url}}}}
{{{{/tracking_url}}}}
{{{{#status_url}}}}
Everything about your order: {{{{status_url}}}}
{{{{/status_url}}}}

If something looks wrong, just reply to this message and a colleague will look into it.""",
        "es": f"""{_HOLA}

Tu pedido {{{{order_id}}}} está {{{{order_status}}}}\
{{{{#fulfillment_status}}}}; su entrega: {{{{fulfillment_status}}}}{{{{/fulfillment_status}}}}.
{{{{#tracking_number}}}}
Número de seguimiento: {{{{tracking_number}}}}{{{{#tracking_company}}}} ({{{{tracking_company}}}})\
{{{{/tracking_company}}}}
{{{{/tracking_number}}}}
{{{{#tracking_url}}}}
Síguelo aquí: {{{{tracking_url}}}}
{{{{/tracking_url}}}}
{{{{#status_url}}}}
Todo sobre tu pedido: {{{{status_url}}}}
{{{{/status_url}}}}

Si algo no cuadra, responde a este mensaje y una persona del equipo lo revisará.""",
    },
    "t_shipping_delay_verified": {
        "en": f"""{_HI}

Your order {{{{order_id}}}}\
{{{{#order_created_at}}}} of {{{{order_created_at}}}}{{{{/order_created_at}}}} is \
{{{{order_status}}}} and has not left us yet: it is {{{{fulfillment_status}}}}.
You will get the tracking link by e-mail as soon as it ships.
{{{{#support_hours_note}}}}
{{{{support_hours_note}}}}
{{{{/support_hours_note}}}}

If you would rather speak to a colleague, just reply to this message.""",
        "es": f"""{_HOLA}

Tu pedido {{{{order_id}}}}\
{{{{#order_created_at}}}} del {{{{order_created_at}}}}{{{{/order_created_at}}}} está \
{{{{order_status}}}} y todavía no ha salido: {{{{fulfillment_status}}}}.
Recibirás el enlace de seguimiento por correo en cuanto se envíe.
{{{{#support_hours_note}}}}
{{{{support_hours_note}}}}
{{{{/support_hours_note}}}}

Si prefieres hablar con una persona, responde a este mensaje.""",
    },
    "t_order_eta_no_tracking_verified": {
        "en": f"""{_HI}

Your order {{{{order_id}}}}\
{{{{#order_created_at}}}} of {{{{order_created_at}}}}{{{{/order_created_at}}}} ships by \
{{{{shipping_bucket}}}} delivery and should arrive {{{{eta_remaining_human}}}}.
You will get the tracking link by e-mail as soon as there is one.

If it does not arrive by then, just reply to this message.""",
        "es": f"""{_HOLA}

Tu pedido {{{{order_id}}}}\
{{{{#order_created_at}}}} del {{{{order_created_at}}}}{{{{/order_created_at}}}} va por envío \
{{{{shipping_bucket}}}} y debería llegar {{{{eta_remaining_human}}}}.
Recibirás el enlace de seguimiento por correo en cuanto lo haya.

Si no llega en ese plazo, responde a este mensaje.""",
    },
    "t_order_status_ask_order_number": {
        "en": f"""{_HI}

We would like to look this up for you.
Could you reply with your order number?
It is in your confirmation e-mail and looks like #1001.""",
        "es": f"""{_HOLA}

Con gusto lo revisamos.
¿Nos puedes responder con tu número de pedido?
Está en el correo de confirmación y se ve así: #1001.""",
    },
    "t_delivered_not_received_intake": _english(
        "We are sorry that your package has not reached you although it is marked as delivered.\n"
        "Please reply with your order number, and whether you have asked your neighbours and"
        " checked every place where it could have been left."
    ),
    "t_missing_items_intake": _english(
        "We are sorry that something is missing from your order.\n"
        "Please reply with your order number, what is missing, and a photo of what arrived."
    ),
    "t_wrong_item_intake": _english(
        "We are sorry that you received the wrong item.\n"
        "Please reply with your order number and a photo of what arrived."
    ),
    "t_damaged_item_intake": _english(
        "We are sorry that your item arrived damaged.\n"
        "Please reply with your order number and photos of the item and its packaging."
    ),
    "t_cancel_order_ack_intake": _english(
        "We have your request to cancel an order.\n"
        "Please reply with the order number if it was not in your message; a colleague will tell"
        " you whether it can still be stopped."
    ),
    "t_address_change_ack_intake": _english(
        "We have your request to change an order.\n"
        "Please reply with the order number and the full new address or change; a colleague will"
        " tell you whether it is still possible."
    ),
    "t_cancel_subscription_ack_intake": _english(
        "We have your request about your subscription.\n"
        "A colleague will take care of it and confirm by e-mail."
    ),
    "t_billing_issue_intake": _english(
        "We are sorry for the trouble with a payment.\n"
        "Please reply with your order number, and the date and amount of the charge.\n"
        "Never send us a full card number."
    ),
    "t_return_request_intake": _english(
        "We have your request to return an item.\n"
        "Please reply with your order number, the item, and why you would like to return it."
    ),
    "t_exchange_request_intake": _english(
        "We have your request to exchange an item.\n"
        "Please reply with your order number, the item, and what you would like in its place."
    ),
    "t_refund_request_intake": _english(
        "We have your request for a refund.\n"
        "Please reply with your order number and the reason; a colleague will get back to you."
    ),
    "t_technical_support_intake": _english(
        "We are sorry that something does not work.\n"
        "Please reply with the device and browser or app version, what you did, and what you saw."
    ),
    "t_promo_discount_info": _english(
        "We have your question about a discount.\n"
        "Please reply with the code and what you saw at checkout; a colleague will check it."
    ),
    "t_pre_purchase_info": _english(
        "Thank you for your interest.\n"
        "A colleague will answer your question about our products shortly."
    ),
    "t_influencer_inquiry_route": _english(
        "Thank you for your interest in working with us.\n"
        "We have passed your message on to the colleagues who take care of partnerships."
    ),
}
