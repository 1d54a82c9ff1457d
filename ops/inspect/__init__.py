"""Reads a stage and changes nothing.

commands          `explain`, `unfinished`, `doctor`
explain           what happened to a conversation, an event or an action, and why
events            jobs rebuilt from ledger rows, one by one or by a paced scan
doctor            a deployed stage checked against its declaration
doctor_alarms     its part for alarms and their recipients
doctor_facts      its part for the facts and their report
doctor_richpanel  its part for Richpanel
finding           the result of one check
"""
