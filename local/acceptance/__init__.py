"""A stage's whole life in one command, on AWS or on the local engine: `make aws-acceptance STAGE=dev`.

__main__          `python -m local.acceptance`: the steps, their seconds, the figures
account           clients of the account that the environment names
remote_vendors    makes the function of the simulated vendors, asks it, takes it away
vendors_function  that function
entering          what setup is given for these vendors, and its pastes carried out
stage_day         the stage, and what has been done to it
beginning         place, vendors, setup, doors
breaking          a kill, an outage, a roll-back
table_restore     the ledger restored under its own name
day               the steps in order, and that every effect was there once
killed_worker     the deployed worker, killed between an effect and its record
billed            cold starts, latency and cost, by Lambda's own lines
removal           takes the stage away whole
"""
