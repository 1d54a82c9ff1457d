"""Reads a stage and changes nothing.

commands          `explain`, `unfinished`, `doctor`
explain           what happened to a conversation, an event or an action, and why
events            jobs rebuilt from ledger rows, one by one or by a paced scan
doctor            a deployed stage checked against its declaration
doctor_alarms     its part for alarms and their recipients
doctor_answers    its part for automatic answers
doctor_facts      its part for the facts and their report
doctor_richpanel  its part for Richpanel
doctor_stage      its part for throttles and sender identities, as they are deployed
finding           the result of one check
"""
