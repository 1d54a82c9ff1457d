"""Orders: which order a message is about, and what may be said about it.

In the order of a lookup:

    order_question which question a message asks, and the order numbers in it; pure
    lookup         the customer's orders, by the numbers in the message or by the linked one
    shop_order     the types: order, shipment, tracking; the ports through which an order is looked up
    given_order    parses an order in the format of `support decide`
    cache          lookups that found no order, remembered in table A
    shopify        searches the shop's orders, by GraphQL
    shopify_nodes  models of Shopify's responses, and the `Order` made from a node
    access_tokens  Shopify's access token, and its scopes
    order_answers  the answer about each order: a template, and values with the facts that prove them; pure
    fact_digests   keyed digests of the facts behind a sentence; pure
    order_checks   why nothing may be said about an order: owner, payment, holds, returns, tags; pure
    shipments      one parcel: whether it is in time, its tracking and carrier's link; pure
    order_rules    what each status means: types and reader of the rows of `order_rules.toml`
    delivery_time  the shop's calendar: business days, cut-off hour, windows by country and method; pure
    stated_age     whether an order is as old as its customer says; pure
    dates          writes a date in words, for a reply: "November 3"; reads none
"""
