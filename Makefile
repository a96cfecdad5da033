# Every task a person or CI runs. Recipes are thin; `make help` lists them.
SHELL := /bin/bash
NODE := node
TSC := $(NODE) node_modules/typescript/bin/tsc
CONTRACT := $(NODE) --import tsx codegen/main.ts
BASE ?= origin/main

.DEFAULT_GOAL := help
.PHONY: help install build start demo dev generate scaffold check-generated lint lint-contracts typecheck floors knip \
        format test test-pg test-store bench conformance conformance-auth containment docs mock schema-diff coverage test-browser cost check ci migrate clean \
        scale datasets-at-size hostile-queries differential chaos gate-properties designer-walk conformance-mock

help: ## list the tasks
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

node_modules/.package-lock.json: package.json package-lock.json
	@command -v node >/dev/null || { echo 'Node.js 20.20 or newer is missing: install it from nodejs.org and run make again.' >&2; exit 2; }
	@command -v npm >/dev/null || { echo 'npm is missing: it comes with Node.js; install that and run make again.' >&2; exit 2; }
	npm ci --no-audit --no-fund --loglevel=error

install: node_modules/.package-lock.json ## install the packages of the lock file

build: install ## compile src, codegen and generated to dist
	npm run --silent build

start: build check-generated ## install, build, migrate the embedded database and serve
	$(NODE) --enable-source-maps dist/src/app/main.js serve

demo: build ## send a real OpenTelemetry export and walk an agent through it
	$(NODE) --import tsx tests/demo/demo.ts

dev: install ## serve from source and restart on change
	$(NODE) --watch --import tsx src/app/main.ts serve

migrate: build ## bring the database up to date
	$(NODE) --enable-source-maps dist/src/app/main.js migrate

generate: install ## compile the contracts in schemas/ into generated/
	$(CONTRACT) generate

scaffold: install ## write the test scaffolds that are missing
	$(CONTRACT) scaffold

check-generated: install ## fail when generated/ is not what the contracts say
	$(CONTRACT) check

lint-contracts: install ## check the contracts alone
	$(CONTRACT) lint --max-warnings 0

cost: install ## tokens and bytes that each tool costs an agent
	$(CONTRACT) cost --peers --savings

typecheck: install ## compile without output
	$(TSC) -p tsconfig.json

lint: install lint-contracts ## contracts, oxlint with types, prettier, knip
	npx oxlint --type-aware --deny-warnings src codegen tests
	npx prettier --check --log-level warn .
	npx knip

format: install ## rewrite files in house style
	npx prettier --write --log-level warn .

floors: install ## check who imports whom
	$(NODE) tests/architecture/check-floors.mjs

test: install build ## the whole suite on the embedded database
	TEST_PROGRAM=dist npm run --silent test

test-pg: install build ## the whole suite on the PostgreSQL of DATABASE_URL
	@test -n "$$DATABASE_URL" || { echo 'Set DATABASE_URL to a PostgreSQL 15 or newer, or run: eval "$$(tests/support/postgres.sh start)"; export DATABASE_URL' >&2; exit 2; }
	TEST_PROGRAM=dist npm run --silent test

test-store: install build ## what touches a store, on the PostgreSQL of DATABASE_URL: all but the tests of the compiler, the gate, the engine and the benches
	@test -n "$$DATABASE_URL" || { echo 'Set DATABASE_URL to a PostgreSQL 15 or newer, or run: eval "$$(tests/support/postgres.sh start)"; export DATABASE_URL' >&2; exit 2; }
	TEST_PROGRAM=dist npm run --silent test:store

test-browser: install build ## the pages in Chromium: Console, docs site, review page
	npx mocha 'tests/**/*.browser.ts'

coverage: install build ## the suite with line coverage in coverage/
	npx c8 --src src --src codegen npm run --silent test

bench: build ## our server, the SDK servers and bare node:http in one run
	$(NODE) --import tsx tests/bench/run.ts

conformance-auth: build ## the official authorization scenarios against our authorization server
	$(NODE) --import tsx tests/conformance/authorization.ts

conformance: build ## the MCP conformance suite against the real server
	$(NODE) --import tsx tests/conformance/run.ts

docs: install ## the contracts as a site in docs-site/
	$(CONTRACT) docs --out docs-site

mock: install ## a server from the contracts alone
	$(CONTRACT) mock

schema-diff: install ## what a change breaks: make schema-diff BASE=ref
	$(CONTRACT) diff "$(BASE)" --fail-on breaking

designer-walk: build ## a new project from an empty folder: install, serve, gate, add, test
	$(NODE) --import tsx tests/designer/walk.ts

conformance-mock: install ## the conformance suite against the mock of contracts with its names
	$(NODE) --import tsx tests/conformance/mock.ts

containment: install ## the prover on a folder of schema pairs: make containment SUITE=folder
	$(NODE) --import tsx tests/gate/containment-suite.ts "$(SUITE)"

gate-properties: install ## the prover and the gate on seeded random schemas and edits
	GATE_PAIRS=10000 GATE_EDITS=500 GATE_MUTATIONS=500 npx mocha tests/gate/containment-properties.test.ts tests/gate/contract-edits.test.ts tests/gate/real-contract-mutations.test.ts

scale: build ## one store per size up to a million spans, every question asked of all in turn
	$(NODE) --import tsx tests/bench/scale/run.ts

datasets-at-size: build ## 1 GiB of JSONL and of CSV all the way through; a million rows asked
	$(NODE) --import tsx tests/bench/datasets/size.ts

hostile-queries: build ## 500 hostile statements while others ask
	$(NODE) --import tsx tests/bench/datasets/hostile.ts

differential: build ## query_dataset against DuckDB by hand, 200 random datasets
	$(NODE) --import tsx tests/bench/datasets/differential.ts

chaos: build ## kill servers, workers and databases; KILL_SERVERS, KILL_WORKERS, KILL_DATABASES, DATASET_KILLS, AGENT_KILLS, CHAOS_KILLS; CHAOS_DATABASE=postgresql
	TEST_PROGRAM=dist CHAOS_STALLS=1 KILL_SERVERS=$${KILL_SERVERS:-50} KILL_WORKERS=$${KILL_WORKERS:-50} KILL_DATABASES=$${KILL_DATABASES:-50} \
	  DATASET_KILLS=$${DATASET_KILLS:-20} AGENT_KILLS=$${AGENT_KILLS:-20} CHAOS_KILLS=$${CHAOS_KILLS:-20} CHAOS_JOBS=$${CHAOS_JOBS:-200} \
	  npx mocha --exit tests/e2e/kills.test.ts tests/workers/chaos.test.ts tests/workers/dataset-run.test.ts tests/workers/dataset-agent.test.ts tests/domain/observability/kill.test.ts

check: check-generated typecheck lint floors test ## what a change must pass

ci: ## everything CI proves, with its closing line
	.ci/run

clean: ## remove what can be made again
	rm -rf dist .bench .cache coverage
