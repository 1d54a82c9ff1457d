# Every command installs what it needs into .venv by itself; Python 3.11+ and make are enough.

PYTHON ?= $(shell command -v python$$(cat .python-version) || echo python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WAY ?= stack
STAGE ?= dev
RUNS ?= 5000
AT_ONCE ?= 3
SEED ?= 1
JOBS ?= 1
INPUTS ?= 5000
NEIGHBOUR_EXAMPLES ?= 20
SAMPLES := $(addprefix sample-,crash reliability simulation attack fuzz neighbours bench)

unexport PYTHONDONTWRITEBYTECODE # a suite starts hundreds of processes; each would compile everything

.PHONY: help help-all run demo test test-long test-all cover check lint samples $(SAMPLES) audit lock update format screenshots bench eval bench-redaction simulate simulate-load simulate-power explore soak crash attack fuzz attack-redaction bench-reliability mutate mutate-sample stats deploy-local drill test-deployed aws-acceptance clean

help: ## The commands of every day
	@grep -hE '^[a-z-]+:.* ## ' $(MAKEFILE_LIST) | awk -F ':.* ## ' '{printf "  make %-20s %s\n", $$1, $$2}'

help-all: ## Every command
	@grep -hE '^[a-z-]+:.* ###? ' $(MAKEFILE_LIST) | awk -F ':.* ###? ' '{printf "  make %-20s %s\n", $$1, $$2}'

$(READY): requirements.txt console/requirements.txt requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; name one with PYTHON=..."; exit 2; }
	@echo "installing into $(VENV) (once, about a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.txt -r console/requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $(READY)

run: $(READY) ## The whole system on this machine, until Ctrl-C
	@exec $(BIN)/python -m local

demo: $(READY) ## Real webhooks through the whole system, and a table of the results
	@$(BIN)/python -m local demo

test: $(READY) ## The tests, headless: half an hour on two cores
	@$(BIN)/python -m pytest -n $(AT_ONCE) --dist worksteal

cover: $(READY) ### The same with coverage, by branch
	@$(BIN)/python -m pytest -n $(AT_ONCE) --dist worksteal --cov

test-long: $(READY) ### What takes longer: browsers, exploration, permissions, packaging, every point of a crash
	@$(BIN)/python -m pytest -n $(AT_ONCE) --dist worksteal -m long

test-all: check test test-long test-deployed simulate explore crash attack fuzz bench-reliability ## Everything that can fail, for hours

samples: $(SAMPLES) ### A small part of each long run: seeds, kills, hostile requests and inputs, both benches; --jobs 2 halves its time

sample-simulation: $(READY)
	@$(BIN)/python -m tests.simulation --runs 300

sample-crash: $(READY)
	@$(BIN)/python -m tests.crash --sample 1

sample-attack: $(READY)
	@$(BIN)/python -m tests.attack --per-door 20

sample-fuzz: $(READY)
	@$(BIN)/python -m tests.fuzz --per-parser 40 --seed $(SEED)

sample-neighbours: $(READY)
	@$(BIN)/python -m tests.attack.neighbours --seconds 20 --rates 30

sample-bench: $(READY)
	@$(BIN)/python -m bench --small

sample-reliability: $(READY)
	@$(BIN)/python -m bench.measures.reliability --every 12

lint: $(READY) ### Format, lint and import rules: seconds, before each commit
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports

check: lint ## Format, lint, types, import rules, security, the packaged templates
	@$(BIN)/mypy
	@$(BIN)/bandit -q -c pyproject.toml -r app.py chalicelib console ops
	@$(BIN)/python -m local.deploy.lint

audit: $(READY) ### Known vulnerabilities in deployed packages; needs the package index
	@$(BIN)/bandit -q -c pyproject.toml -r app.py chalicelib console ops
	@$(BIN)/pip-audit -r requirements.txt -r console/requirements.txt --strict --require-hashes --disable-pip --progress-spinner off

lock: $(READY) ### The locks of what ships from requirements.in and console/requirements.in; needs the package index
	@$(BIN)/python -m local.deploy.locking

update: $(READY) ### The same with the newest versions that fit, and what that changes, package by package
	@$(BIN)/python -m local.deploy.locking --upgrade

format: $(READY) ## Format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

screenshots: $(READY) ### Pictures of the console into docs/pictures; needs Chromium
	@$(BIN)/python -m pytest -q tests/console/screenshots.py

bench: $(READY) ## The figures, as ratios in one run
	@$(BIN)/python -m bench
	@$(BIN)/python -m bench.measures.reconcile
	@$(BIN)/python -m bench.measures.replay
	@$(BIN)/python -m bench.measures.outreach
	@$(BIN)/python -m bench.measures.routes
	@$(BIN)/python -m bench.measures.anonymous_month
	@$(BIN)/python -m bench.measures.fact_sinks

eval: $(READY) ### The classifier, beside peers; a stranger's conversations; drafts and their price; what is masked; wishes to stop, by language; replies of mail programs
	@$(BIN)/python -m bench.measures.intents
	@$(BIN)/python -m bench.measures.conversations
	@$(BIN)/python -m bench.intents.compare
	@$(BIN)/python -m bench.measures.judges
	@$(BIN)/python -m bench.measures.drafts
	@$(BIN)/python -m bench.measures.composed
	@$(BIN)/python -m bench.measures.written_drafts
	@$(BIN)/python -m bench.measures.written_drafts --judges
	@$(BIN)/python -m bench.measures.masked
	@$(BIN)/python -m bench.measures.masked held
	@$(BIN)/python -m bench.measures.words
	@$(BIN)/python -m bench.measures.wishes
	@$(BIN)/python -m bench.measures.mail_clients
	@$(BIN)/python -m bench.measures.prompts

bench-redaction: $(READY) ### Leaks, masks and speed of the redactor, beside its peers; TEXTS=folder of public texts
	@$(BIN)/python -m bench.redaction $(if $(TEXTS),--texts $(TEXTS))

stats: $(READY) ### Lines, coverage, what is shipped, and the time from clone to demo
	@$(BIN)/python -m bench.report.stats --clone

deploy-local: $(READY) ## The stage packaged and deployed to the local engine; WAY=direct: by chalice deploy
	@$(BIN)/python -m local.deploy $(WAY)

drill: $(READY) ### Faults in a deployed stage; nothing may be lost or done twice
	@$(BIN)/python -m local.drill

aws-acceptance: $(READY) ## A stage set up, used, broken, measured and taken away, in your account: STAGE=...; WHERE=local: on the engine
	@$(BIN)/python -m local.acceptance --stage $(STAGE) $(if $(filter local,$(WHERE)),--local)

test-deployed: $(READY) ### The deployed stage, both ways, compared with the declaration
	@$(BIN)/python -m pytest -m deployed tests/deployed

simulate: $(READY) ### Seeded schedules of faults: RUNS=... SEED=... JOBS=... KIND=aimed|mixed|denser|stalled|handed|dying
	@$(BIN)/python -m tests.simulation --runs $(RUNS) --seed $(SEED) --jobs $(JOBS) $(if $(KIND),--kind $(KIND))

simulate-load: $(READY) ### Seconds until the effect by lane: a day, a burst, each vendor out, a backlog; and the ceilings
	@$(BIN)/python -m bench.load --seed $(SEED)
	@$(BIN)/python -m bench.load --measured

simulate-power: $(READY) ### What plain seeds notice of 22 hand-made breaks of the core
	@$(BIN)/python -m tests.simulation.power --runs 2000

explore: $(READY) ### Small worlds whole: every interleaving and fault, up to a bound
	@$(BIN)/python -m tests.simulation.explore

soak: $(READY) ### A million of them, on every core, for hours
	@$(BIN)/python -m tests.simulation --runs 1000000 --seed $(SEED) --jobs $$(getconf _NPROCESSORS_ONLN) $(if $(KIND),--kind $(KIND))

crash: $(READY) ### The real functions killed at every call they make, judged by their effects
	@$(BIN)/python -m tests.crash --keep

bench-reliability: $(READY) ### Four designs at the same crash points: lost, duplicated, parked
	@$(BIN)/python -m bench.measures.reliability

mutate: $(READY) ### Mutation tests of the core: ledger, effects, intake, worker
	@rm -rf mutants # old results do not match functions renamed since
	@$(BIN)/mutmut run
	@$(BIN)/python -m bench.report.mutation

mutate-sample: $(READY) ### Mutation tests of 200 mutants of each package outside the core: GROUP=...
	@$(BIN)/python -m bench.report.mutation_sample $(if $(GROUP),--group $(GROUP))

attack: $(READY) ### Hostile requests to every door by kind, the memory that the worst take, a company beside floods and against its neighbour
	@$(BIN)/python -m tests.attack --per-door 2000 --seed $(SEED)
	@$(BIN)/python -m tests.attack.memory
	@$(BIN)/python -m tests.attack.neighbours
	@NEIGHBOUR_EXAMPLES=$(NEIGHBOUR_EXAMPLES) $(BIN)/python -m pytest -q tests/outreach/whole/test_neighbour.py

fuzz: $(READY) ### Inputs made from real samples to every parser: SEED=... INPUTS=...; time and memory of the largest, as ratios
	@$(BIN)/python -m tests.fuzz --per-parser $(INPUTS) --seed $(SEED)
	@$(BIN)/python -m tests.fuzz.growth

attack-redaction: $(READY) ### The redactor on a million composed texts: what leaks, and what harmless text is altered
	@$(BIN)/python -m bench.redaction.attacker --count 1000000

clean: ### Remove everything the commands created
	rm -rf $(VENV) .venv-sam .engines .run out build mutants .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
