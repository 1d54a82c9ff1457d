"""WhatsApp and SMS by Twilio.

In the order of a message:

    door         the two webhook routes: requests verified, parsed, heard for a STOP, and queued
    consent      STOP and START at the door: writes or lifts the mark before the answer
    owners       which account a number belongs to; sets a job apart (`is_apart`) at the door
    webhook      tokens and keys in the secret, signatures; inbound messages, status callbacks as jobs; pure
    client       sends a message, lists sent and received ones, fetches one; a number's webhook URL
    credentials  the name of the secret with a company's Twilio account, and the account in it
    codes        Twilio's error codes and what each means for a retry
    refusals     whether a refusal shows that an address is dead: the reason for the register
"""
