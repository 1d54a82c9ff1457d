"""The system under measurement and its counters.

system  the application on its own engine, driven from outside
kinds   every kind of event, with its limits
conversation_kinds  how the events of a conversation are sent, on each channel
meter   counts AWS requests and DynamoDB units at the wire
weights what a request to DynamoDB costs, from the items before and after it
sink_meter  likewise, by the sink of facts whose rows they are
unpacked  the real bundle, unpacked, and programs that import it there
item_size  the size of an item as DynamoDB counts it
units   units by DynamoDB's rules
cost    prices and assumptions as the bench takes them
model_client  the real client of OpenAI over a simulated one
"""
