"""The system under measurement and its counters.

system  the application on a local engine, driven from outside
kinds   every kind of event, with its limits
conversation_kinds  how the events of a conversation are sent, on each channel
meter   counts AWS requests and DynamoDB units at the wire
weights computes the units of a DynamoDB request, from the items before and after it
sink_meter  counts the units by the sink of facts that caused them
unpacked  unpacks the real bundle, and runs programs that import it there
units   the units of a read or write by DynamoDB's rules
cost    prices and assumptions as the bench uses them
model_client  the real client of OpenAI for a simulated server
"""
