"""Orders: which order a message is about, and what may be said of it.

In the order of a lookup:

    lookup         the linked order, or the shop's order under the number in the message
    shop_order     an order, and the ports through which one is looked up
    cache          lookups remembered in table A, without personal data
    shopify        the shop's client, by GraphQL
    status         the template and values that answer a question about an order; pure
    trouble        why nothing may be promised about an order; pure
    dates          a date as people write it
    delivery_time  when an order will arrive, in business days; pure
"""
