"""Operator commands for the fact pipeline: `python -m ops facts`.

commands      create, seed, pending, failed, retry, explain, check, correct, remove, rebuild
correction    corrects a stored fact: ledger and archive, and the dataset with its next rebuild
fact_removal  takes facts out of OneLake and the archive for good
rebuild_plan  what a rebuild would post and lose, before it changes anything
rebuild       clears a dataset and posts every stored fact and dimension key again
republish     publishes every stored fact to OneLake again, which replaces what it has
reports       makes the push dataset, and the tables in OneLake
"""
