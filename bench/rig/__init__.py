"""The system under measurement and its counters.

system  the application on its own engine, driven from outside
kinds   every kind of event, with its limits
meter   counts AWS requests and DynamoDB units at the wire
weights what a request to DynamoDB costs, from the items before and after it
sink_meter  likewise, by the sink of facts whose rows they are
unpacked  the real bundle, unpacked, and programs that import it there
units   units by DynamoDB's rules
cost    dollars per million events
model_client  the real client of OpenAI over a simulated one
"""
