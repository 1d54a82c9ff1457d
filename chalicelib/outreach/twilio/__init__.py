"""WhatsApp and SMS by Twilio.

In the order of a message:

    door         the two webhook routes: requests are verified, parsed and queued
    consent      STOP and START at the door: the mark is written before the answer
    owners       which account a number belongs to; chooses the FIFO group at the door
    webhook      signatures; inbound messages and status callbacks as jobs; pure
    client       sends a message, lists sent messages, fetches a received one
    credentials  accounts, read from a company's secret or the webhook secret
    codes        Twilio's error codes and what each means for a retry
    refusals     whether a refusal shows that an address is dead
"""
