"""Orders: which order a message is about, and what may be said about it.

In the order of a lookup:

    order_question what is asked about which orders; pure
    lookup         the shop's orders under the numbers in the message, or the linked one
    shop_order     an order, and the ports through which one is looked up
    given_order    an order in the format of `support decide`
    cache          lookups that found nothing, remembered in table A
    shopify        the shop's client, by GraphQL
    shopify_nodes  Shopify's responses as orders
    access_tokens  Shopify's tokens, and their scopes
    proven         what may be said about orders, with the facts that prove it; pure
    fact_digests   keyed digests of the facts behind a sentence; pure
    order_checks   why nothing may be said about an order; pure
    shipments      whether a parcel is in time, and what may be said about it; pure
    order_rules    what each status means; rows of `order_rules.toml`
    delivery_time  business days, and windows by country and method; pure
    stated_age     whether an order is as old as its customer says; pure
    dates          a date as people write it
"""
