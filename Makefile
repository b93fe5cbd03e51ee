# `make` lists the targets. `make run` and `make test` need Go and nothing else.

VERSION := $(or $(shell git describe --tags --always --dirty 2>/dev/null),dev)
COMMIT := $(shell git rev-parse HEAD 2>/dev/null)
DATE := $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)

# -trimpath everywhere, so that tests, linters and releases share compiled
# packages; -buildvcs=false, because version, commit and date are given below and
# stamping fails in a checkout that belongs to another user. value, because make would
# take the $ of a regular expression in the caller's flags for a variable of its own.
GOFLAGS := $(strip $(value GOFLAGS) -trimpath -buildvcs=false)
export GOFLAGS

LDFLAGS := -X botwork/cmd/version.version=$(VERSION) -X botwork/cmd/version.commit=$(COMMIT) -X botwork/cmd/version.date=$(DATE)

# The race detector is the only thing here that needs a C compiler. SQLite is compiled without it: it
# has memory and locks of its own, and would take ten times as long.
RACE ?=
DETECT := -race -gcflags=modernc.org/...=-race=false
export CGO_ENABLED := $(if $(RACE),1,0)

# Compilers and tests collect garbage less often: a tenth less time, for some hundred MB. The program
# that `make run` starts is not to inherit this.
build test postgres schemas processes race simulate lint: export GOGC ?= 400

# Of tools/go.mod. It is built once, into the cache of the go command.
LINTER := go tool -modfile=tools/go.mod golangci-lint

# More flags for go test, such as -json or -shuffle=on.
TESTFLAGS ?=

# How long `make fuzz` tries each target.
FUZZTIME ?= 30s

# How long `make chaos` torments the workers over each engine, and the seed of what
# happens to them; 0 draws one.
FOR ?= 3m
SEED ?= 0

# How many histories `make simulate` lives through.
SEEDS ?= 2000

# Announces a long silence: SQLite, the largest package, was not compiled yet.
FIRST := @go list -f '{{if .Stale}}compiling some 700 packages; only the first time, this takes minutes{{end}}' modernc.org/sqlite/lib

# What a target with tests over PostgreSQL does first, unless BOTWORK_TEST_POSTGRES_DSN names a server.
POSTGRES := set -e; \
	if [ -z "$$BOTWORK_TEST_POSTGRES_DSN" ]; then \
		settings=$$(.ci/postgres start); eval "$$settings"; \
		trap '.ci/postgres stop' EXIT; trap 'exit 130' INT; trap 'exit 143' TERM; \
	fi

# It tries one in so many of the mutants of statements, other ones each day.
ONE_IN ?= 1

# The file for the report of `make sqlserver`, and how long it hunts for deadlocks.
REPORT ?= sqlserver-report.md
HUNT ?= 2m

.PHONY: help run build editor pictures test postgres browser gallery npm schemas processes wine race fuzz simulate nightly chaos guard sqlserver lint dist clean

help: ## print this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r target text; do printf '  make %-9s %s\n' "$$target" "$$text"; done

run: build ## build and start the quickstart: embedded SQLite, real items; Ctrl-C drains
	./botwork demo

build: ## build ./botwork
	$(FIRST)
	go build -ldflags '$(LDFLAGS)' -o botwork ./cmd/botwork

# It needs Node.js and npm; nothing else in this file does.
editor: ## make internal/dashboard/assets/codemirror.js.gz again from the versions in package-lock.json
	cd internal/dashboard/editor && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs

# It needs Chromium.
pictures: ## make the pictures of README and docs again
	mkdir -p docs/pictures
	BOTWORK_TEST_GROUPS=browser BOTWORK_PICTURES=$(CURDIR)/docs/pictures go test ./internal/tests/browsertest -count=1 -run '^TestBrowserPictures$$'

# go vet is a part of `make lint`. Four packages at a time: some wait for timers. The longest first,
# so that no core waits for them at the end. What only the targets below run is not compiled.
ELSEWHERE := browsertest|chaos|e2e|failover|openapitest|winetest|yamllstest
test: ## run the fast tests, which need nothing but Go; RACE=1 adds the race detector
	$(FIRST)
	packages=$$(go list ./workqueue/... ./internal/... ./...) && \
	go test $(TESTFLAGS) -vet=off -p 4 $(if $(RACE),$(DETECT)) $$(echo "$$packages" | grep -vE '/tests/($(ELSEWHERE))$$')

postgres: ## test that the store keeps its contract on PostgreSQL
	@$(POSTGRES); \
	go test $(TESTFLAGS) -vet=off -timeout 20m -run '^TestConformance$$/^postgres$$|^TestMachine$$/^postgres$$|NeverDeadlock|Postgres|^TestScratch' ./workqueue/sqlstore ./internal/database ./internal/testdb ./internal/doctor

# They need Chromium, and `make npm`.
browser: ## try the pages in Chromium: each page in one size and theme, and what an operator does
	BOTWORK_TEST_GROUPS=browser go test $(TESTFLAGS) -vet=off ./internal/tests/browsertest -count=1 -timeout 10m -run 'CheckerFindsFaults|Gallery|Operator|Palette|Keys'

gallery: ## all tests of the pages in Chromium, in all sizes and themes
	BOTWORK_TEST_GROUPS=browser,nightly go test $(TESTFLAGS) -vet=off ./internal/tests/browsertest -count=1 -timeout 20m

npm: ## install with npm what checks the pages, the OpenAPI document and the schemas, and makes the editor
	@set -e; for folder in internal/tests/browsertest internal/tests/openapitest internal/tests/yamllstest internal/dashboard/editor; do \
		(cd $$folder && npm ci --ignore-scripts --no-audit --no-fund); \
	done

# They need `make npm`.
schemas: ## try the schemas, the OpenAPI document and the editor as other tools read them
	BOTWORK_TEST_GROUPS=npm go test $(TESTFLAGS) -vet=off -count=1 ./internal/tests/yamllstest ./internal/tests/openapitest
	BOTWORK_TEST_GROUPS=npm go test $(TESTFLAGS) -vet=off -count=1 ./internal/dashboard -run '^TestEditorBundle$$'

processes: ## try the program as processes, in real time: start, drain, crash, outage
	BOTWORK_TEST_GROUPS=processes go test $(TESTFLAGS) -vet=off -count=1 ./internal/tests/e2e
	BOTWORK_TEST_GROUPS=processes go test $(TESTFLAGS) -vet=off -count=1 ./client ./examples ./internal/bench ./internal/dist ./internal/servertrial ./workqueue/sqlstore \
		-run '^Test(Dashboard|Events|Forecast|RobotsThatAreKilledAndSuspended|Embed|Reproducible|TheTestsOfAStepAreThere|MigrateTogetherInProcesses)$$'

wine: ## try the service of Windows under Wine
	BOTWORK_TEST_GROUPS=wine go test $(TESTFLAGS) -vet=off ./internal/tests/winetest -count=1 -v

# The packages whose goroutines share the most memory; of the store, what several goroutines do at a time.
race: ## run the tests of what shares memory between goroutines with the race detector
	CGO_ENABLED=1 go test $(TESTFLAGS) $(DETECT) -vet=off -p 4 -timeout 20m -skip '^(TestHighItemStartsSoon|TestSelfAssignReadsWorkers|TestExpectedStarts)' \
		./workqueue ./workqueue/runner ./workqueue/assign ./pipelines \
		./internal/process ./internal/reload ./internal/scheduler ./internal/httpserver ./internal/api/auth ./internal/api/events \
		./internal/api/longpoll ./internal/metrics ./internal/tracing/...
	CGO_ENABLED=1 go test $(TESTFLAGS) $(DETECT) -vet=off ./workqueue/sqlstore -run 'TestConformance/.*/(Contend|Life|Unique|Define)|TestWorkersWithFaultyConnections|TestEncrypt'

# The targets are asked for, so that none can be forgotten; go test takes one at a
# time. Left alone, it spends most of its time on making inputs shorter.
fuzz: ## try the parsers and the redactor with made-up texts, each for FUZZTIME (30s)
	@set -e; \
	for package in $$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...); do \
		listed=$$(go test -list '^Fuzz' $$package); \
		for target in $$(echo "$$listed" | sed -n '/^Fuzz/p'); do \
			echo "$$package $$target"; \
			go test $$package -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s -parallel 2; \
		done; \
	done

simulate: ## live through SEEDS (2000) made-up histories of a cluster in trouble, and break the code on purpose
	CGO_ENABLED=0 BOTWORK_TEST_GROUPS=mutants go test $(TESTFLAGS) -vet=off ./internal/tests/simulation -count=1 -timeout=0 -seeds $(SEEDS) -one-in $(ONE_IN)

# With the race detector the scheduler of Go chooses at random among goroutines, so that no history is like another.
nightly: ## all tests: 10,000 histories and all mutants, all pages, sizes and themes, Wine, chaos, failover, many drawn cases, PostgreSQL, the race detector over all, the speed
	$(MAKE) simulate SEEDS=10000
	$(MAKE) npm gallery wine chaos guard
	@$(POSTGRES); \
	BOTWORK_TEST_GROUPS=nightly,npm,processes go test -p=2 -timeout=0 ./...; \
	BOTWORK_TEST_GROUPS=nightly,processes CGO_ENABLED=1 go test $(DETECT) -p=2 -timeout=0 -skip=^TestSeedIsReproducible ./...

chaos: ## kill, suspend and drain workers for FOR (3m) over each engine, take their database away, then count what is lost or ran twice; SEED repeats
	@$(POSTGRES); export BOTWORK_TEST_GROUPS=chaos; \
	go test ./internal/tests/chaos -count=1 -v -timeout=0 -run 'TestNoItemIsLost|TestContainers|TestDatabaseFileIsMovedAway|TestRecovery|TestKillRepeats' \
		-args -chaos.for=$(FOR) -chaos.seed=$(SEED) -chaos.lateness=1s -chaos.recoveries=5; \
	go test ./internal/tests/failover -count=1 -v -timeout=0 -parallel 1 -args -failover.rounds=5 -failover.busy=10s

# A file of internal/bench/guard changes only with the reason for the other speed in the commit.
GUARD := ./botwork bench guard --repeat 5 --against internal/bench/guard
guard: build ## compare the shares of the engine's speed with those in internal/bench/guard; nothing else may run meanwhile
	@$(POSTGRES); set -x; \
	$(GUARD)/sqlite.json; \
	BOTWORK_DATABASE_DRIVER=postgres BOTWORK_DATABASE_DSN="$$BOTWORK_TEST_POSTGRES_DSN" $(GUARD)/postgres.json

# The DSN is passed on in the environment, where other users do not see it.
sqlserver: ## try everything that needs a server on the SQL Server of DSN, and write REPORT (sqlserver-report.md)
	@BOTWORK_TEST_SQLSERVER_DSN="$${DSN:-$$BOTWORK_TEST_SQLSERVER_DSN}" go run ./internal/servertrial -out '$(REPORT)' -hunt $(HUNT)

lint: ## check formatting, go vet for Windows, and the linters, go vet for this system among them
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	GOOS=windows go vet ./...
	$(LINTER) run ./...

dist: ## make the archives for Windows and Linux, and their checksums, in dist/
	go run ./internal/dist -out dist

clean: ## remove what the targets above built
	rm -rf dist botwork botwork.exe
