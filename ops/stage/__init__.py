"""A stage: its access, its data stack, its functions, and what is beside them.

commands        `access`, `provision`, `switch get`, `switch set`
config          a stage's environment variables, from `.chalice/config.json`
names           refuses tables' names in the environment that differ from the declared ones
template        resolves the CloudFormation functions that the templates use
provision       the switches; which secrets are missing
deploying       deploys a stage in either of its two ways
stack           its CloudFormation stacks
data_stack      tables, queues and the like
lost            makes a stack, restores deleted resources and re-imports those left behind
stack_states    brings a stack from any status to one that accepts a change set
artifacts       the bucket of bundles, and of Chalice's record of what it deployed
address         the address of its own API
runtime         the functions' Python, pinned in `.python-version`
access_stack    the boundaries, the people's policies and roles, the role that deploys
failures        where Lambda keeps the events that a function failed on
key_commands    `keys list`, `keys rotate`
lost_keys       refuses a new key for keyed ids while the old one is needed
rotation        makes a purpose's first key, and rotates its keys
switches        reads and sets the switches in SSM
packages        the packages that ship, as the locks name them
function_bundle builds the functions' zip: packages, bytecode, reproducible bytes
aws_models      removes botocore's data on services that the code does not call
bytecode        compiles what ships
ready_tables    builds the tables that the bundle holds built, for `chalicelib.ready`
archive         zips what ships
provenance      writes what a packaged stage was made of: its packages and its origin
console_layer   builds the layer of the console's function, during `chalice package`
chalice_record  Chalice's record of a stage's deployment, shared between machines
chalice_deploy  additions to `chalice deploy` and `chalice package`; run by `app` under them only
"""
