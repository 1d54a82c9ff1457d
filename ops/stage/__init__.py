"""A stage: its access, its data stack, its functions, and what is beside them.

commands        `access`, `provision`, `switch get`, `switch set`
config          a stage's environment variables, from `.chalice/config.json`
names           the tables' names in the environment, held against the declared ones
template        the part of CloudFormation that the declarations use
provision       the switches; which secrets are missing
deploying       deploys a stage in either of its two ways
stack           its CloudFormation stacks
data_stack      tables, queues and the like
lost            what is gone of a stack, and what a deleted one has left: both come into it again
stack_states    what each status of a stack asks for before it takes a change set
artifacts       the bucket of bundles, and of Chalice's record of what it deployed
address         the address of its own API
runtime         the functions' Python, pinned in `.python-version`
access_stack    the boundaries, the people's policies and roles, the role that deploys
failures        where Lambda keeps the events that a function failed on
key_commands    `keys list`, `keys rotate`
lost_keys       what forbids a new key of the ids
rotation        a purpose's keys, first and after a rotation
switches        reads and sets the switches in SSM
packages        the packages that ship, as the locks name them
function_bundle the zip of every function: packages, bytecode, the same bytes each time
aws_models      which of AWS's data ships: that of the services that the code calls
bytecode        compiles what ships
archive         zips what ships
provenance      what a packaged stage was made of: a list of its packages, and where it came from
console_layer   what only the console's function carries, beside `chalice package`
chalice_record  what `chalice deploy` has made of a stage before
chalice_deploy  additions to `chalice deploy` and `chalice package`; run by `app` under them only
"""
