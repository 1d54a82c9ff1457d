"""A stage's whole life in one command, on AWS or on the local engine: `make aws-acceptance STAGE=dev`.

__main__          `python -m local.acceptance`: the steps, their seconds, the figures
account           clients of the account that the environment names
remote_vendors    creates the function of the simulated vendors, calls it, deletes it
vendors_function  that function
entering          supplies setup with answers for these vendors, and enters its pastes
stage_day         the stage, with what the steps have recorded
beginning         place, vendors, setup, doors
breaking          a kill, an outage, a roll-back
table_restore     the ledger restored under its own name
day               the steps in order; the last repeats every webhook
killed_worker     a worker that is killed between an effect and its record
billed            cold starts and cost, from Lambda's log lines
removal           removes the stage completely
"""
