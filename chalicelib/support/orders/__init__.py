"""Orders: which order a message is about, and what may be said of it.

In the order of a lookup:

    order_question what is asked of which orders; pure
    lookup         the shop's orders under the numbers in the message, or the linked one
    shop_order     an order, and the ports through which one is looked up
    given_order    an order in the format of `support decide`
    cache          lookups that found nothing, remembered in table A
    shopify        the shop's client, by GraphQL
    shopify_nodes  its answers, as orders
    access_tokens  its tokens, and the scopes that they have
    proven         what may be said of orders, with the facts that prove it; pure
    fact_digests   keyed digests of the facts behind a sentence; pure
    order_checks   why nothing may be said of an order; pure
    shipments      whether a parcel is in time, and what may be said of it; pure
    order_rules    what each status means; rows of `order_rules.toml`
    delivery_time  business days, and windows by country and method; pure
    stated_age     whether an order is as old as its customer says; pure
    dates          a date as people write it
"""
