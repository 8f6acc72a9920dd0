SHELL := /bin/bash
CASSANDRA := go run broadsheet/internal/cassandratest/withcassandra
EVERYWHERE := BROADSHEET_TEST_CASSANDRA=everywhere $(CASSANDRA)
GENERATED := graph README.md
FUZZTIME ?= 1m
SOAK := ^TestSoak|^TestNodeLoss|^TestClocksApart|^TestBadNetwork

.PHONY: help
help: ## prints this
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 18

.PHONY: run
run: ## starts the server on the embedded store
	go run .

.PHONY: check
check: format vet verify-generated ## fast, offline: formatting, vet, generated code

.PHONY: format
format: ## fails where gofmt would change a file
	@unformatted=$$(find . \( -name '.?*' -o -name node_modules \) -prune -o -name '*.go' -exec gofmt -l {} +) && \
	[ -z "$$unformatted" ] || { echo "run gofmt -w on:" $$unformatted >&2; exit 1; }

.PHONY: vet
vet:
	go vet ./...
	go vet -tags proxy ./internal/e2e
	go vet -C examples/search ./...
	go vet -C benchmarks ./...
	go vet -C internal/cassandratest ./...
	go vet -C deploy ./...

.PHONY: generate
generate: ## writes graph/ from schema.graphqls, the maps of the README and of docs/consistency.md from blog.Declarations
	go generate ./...

# What was edited by hand meanwhile stays and counts as current: only what generate
# changes is a failure, so this needs no commit, and no git.
.PHONY: verify-generated
verify-generated: ## fails where generated files are not what generate writes
	@before=$$(mktemp -d) && trap 'rm -rf "$$before"' EXIT && \
	for made in $(GENERATED); do mkdir -p "$$before/$$(dirname $$made)" && cp -R $$made "$$before/$$made" || exit 1; done && \
	go generate ./... && \
	for made in $(GENERATED); do \
	  diff -r -u "$$before/$$made" "$$made" || { echo "$$made was not current; now it is: commit it" >&2; exit 1; }; \
	done

# The whole suite once: both stores on everything, a real Cassandra for what asks for one
# (cassandratest.OnNode, Real and Launch), a double of a node for the rest.
.PHONY: test
test: ## all tests once, with a real Cassandra; says first what it needs
	@sh internal/preflight.sh go cassandra
	@$(MAKE) check
	$(CASSANDRA) -- $(MAKE) -j 2 tests tests-of-modules

.PHONY: test-offline
test-offline: ## the tests that need no Cassandra: its store runs on a double of a node; those of unchanged packages are Go's cached ones
	@sh internal/preflight.sh go
	env -u CASSANDRA_HOSTS -u BROADSHEET_TEST_CASSANDRA $(MAKE) -j 2 tests tests-of-modules
	@echo "Left out: what a double of a node can't show, such as nodes that are killed or a load that lasts; go test -v names each test."
	@echo "make test runs them: it needs Java 17 or 21, or Docker, or CASSANDRA_HOSTS."

# They run beside each other: of the first, one package waits longest for its Cassandra.
.PHONY: tests tests-of-modules
tests:
	go test -timeout 30m ./...
tests-of-modules:
	go test -C internal/cassandratest -timeout 30m ./...
	go test -C deploy -timeout 30m ./...
	go test -C benchmarks -timeout 30m ./...

# Where goroutines share memory: the stores and what they stand on, what answers requests, what many
# requests share. Not here: what has no goroutines of its own (blog's rules, relay, cursors, coercion, files of
# pages, generators), what stands in for a store in tests, and e2e, whose servers are processes of their own.
RACE := ./cassandra/... ./embedded ./graph/plan ./internal/audit ./internal/changes ./internal/client ./internal/coalesce ./internal/dataset \
	./internal/httpapi ./internal/httpapi/document ./internal/httpapi/graphqlws ./internal/httpapi/limit ./internal/httpapi/peer ./internal/identity ./internal/live ./internal/pace ./internal/program ./internal/recent \
	./internal/service ./internal/decorate ./internal/tracing ./resolvers
# Of these, what gives one command at a time, or measures a heap or a processor's time; and of the suite's runs over the embedded store the one on disk.
ALONE := ^(TestFaultAtEvery|TestFaultBefore|TestACommandThat|TestLeftAndNext$$|TestLeftAtTheTruth|TestLosses$$|TestDamage$$|TestRepair$$|TestDeletedRows$$|TestKeptData$$|TestDiskFault$$|TestPowerCut|TestOnDisk$$|TestWhatIsKeptIsBounded$$|TestVerifyHoldsBoundedMemory$$|TestTimeFollowsUnits$$)
.PHONY: race
race: ## the race detector where goroutines share memory; needs a C compiler, and no Cassandra
	@sh internal/preflight.sh go race
	env -u CASSANDRA_HOSTS -u BROADSHEET_TEST_CASSANDRA go test -race -timeout 30m -skip '$(ALONE)' $(RACE)

.PHONY: slow
slow: ## runs the tests that need no Cassandra, and prints the slowest twenty
	@env -u CASSANDRA_HOSTS -u BROADSHEET_TEST_CASSANDRA go test -count 1 -v ./... 2>&1 | awk -F'\t' ' \
	  /^--- (PASS|FAIL): / { split($$0, part, /[ ()]+/); name[++n] = part[3]; took[n] = part[4] + 0 } \
	  /^(ok|FAIL)\t/ { for (; n > 0; n--) printf "%8.1f s  %s %s\n", took[n], $$2, name[n] }' | sort -rn | head -20

.PHONY: test-clients
test-clients: client-tools verify-web verify-playground ## npm's clients, audits, a browser and a proxy against the server, a real Cassandra too; needs Node 20.19 or newer, Python 3, Chromium, Caddy and promtool
	npm --prefix clients ci
	$(MAKE) guide
	promtool test rules deploy/alerts_test.yml deploy/drills_test.yml
	$(CASSANDRA) -- sh -c 'go test -tags proxy -run "^TestBehindCaddy$$" ./internal/e2e && npm --prefix clients test'

.PHONY: client-tools
client-tools:
	@command -v "$${CHROMIUM:-chromium}" >/dev/null || { echo "make test-clients needs Chromium, in CHROMIUM where it is not called chromium" >&2; exit 1; }
	@command -v caddy >/dev/null || { echo "make test-clients needs Caddy, 2.6 or newer: apt-get install caddy (Debian), dnf install caddy (Fedora), brew install caddy (macOS)" >&2; exit 1; }
	@command -v promtool >/dev/null || { echo "make test-clients needs promtool, for the rules of alerts: apt-get install prometheus (Debian), brew install prometheus (macOS)" >&2; exit 1; }

# The snippets of docs/clients.md, compiled from the schema.
.PHONY: guide
guide:
	@python3 -m venv -h >/dev/null || { echo "make test-clients needs Python 3 with venv" >&2; exit 1; }
	npm --prefix clients/guide ci --ignore-scripts
	python3 -m venv clients/guide/python/.venv
	clients/guide/python/.venv/bin/pip install --quiet --disable-pip-version-check -r clients/guide/python/requirements.txt
	npm --prefix clients/guide run build

.PHONY: web
web: ## builds the app anew: web/dist is part of the program, commit it
	npm --prefix web ci --ignore-scripts
	npm --prefix web run build

.PHONY: verify-web
verify-web: ## fails where web/dist is not what the app's source gives, byte for byte
	@command -v npm >/dev/null || { echo "this needs Node 20.19 or newer, with npm" >&2; exit 1; }
	npm --prefix web ci --ignore-scripts
	npm --prefix web run verify

.PHONY: playground
playground: ## builds the playground anew: internal/httpapi/playground/dist is part of the program, commit it
	npm --prefix internal/httpapi/playground/app ci --ignore-scripts
	npm --prefix internal/httpapi/playground/app run build

.PHONY: verify-playground
verify-playground: ## fails where the playground's dist is not what its source gives, byte for byte
	@command -v npm >/dev/null || { echo "this needs Node 20.19 or newer, with npm" >&2; exit 1; }
	npm --prefix internal/httpapi/playground/app ci --ignore-scripts
	npm --prefix internal/httpapi/playground/app run verify

# For a release that changed what is stored: columns, tables, migrations.
NAME ?= $(shell date +%Y-%m)
.PHONY: keep
keep: ## keeps data as this program writes it in testdata/kept, for the tests of later ones; NAME=2027-01 names it
	go test ./embedded -count 1 -run '^TestKeptData$$' -keep '$(NAME)'
	$(CASSANDRA) -- go test ./cassandra -count 1 -run '^TestKeptData$$' -keep '$(NAME)'

.PHONY: prepare
prepare: ## before a tag: names the changelog's section, keeps the schema, the revision and what is stored; VERSION=1.2.0
	@[ -n '$(VERSION)' ] || { echo 'say which: make prepare VERSION=1.2.0' >&2; exit 1; }
	@git diff --quiet HEAD || { echo 'commit what you changed: the release is the program of a commit' >&2; exit 1; }
	git rev-parse HEAD >clients/contract/released.revision
	sed -i "s/^## \[Unreleased\]$$/&\n\n## [$(VERSION)] - $$(date +%F)/" CHANGELOG.md
	cp schema.graphqls clients/contract/released.graphqls
	$(MAKE) keep NAME='$(VERSION)'

.PHONY: on-cassandra
on-cassandra: ## a server with the demo on a Cassandra of its own; both end with Ctrl-C, and nothing is kept
	@sh internal/preflight.sh go cassandra
	$(CASSANDRA) -- sh -c 'exec go run . --store cassandra --cassandra-hosts "$$CASSANDRA_HOSTS" --migrate --demo'

# Static, with C for Pebble's cache and compression. The same commit, Go and C library give the same bytes.
DIST := dist
PLATFORMS := amd64:x86_64 arm64:aarch64
.PHONY: release
release: ## binaries for Linux, an image, lists of materials, notes and checksums of the commit or tag, in dist/; deploy/README.md
	@sh internal/preflight.sh go release
	rm -rf $(DIST) && mkdir $(DIST)
	for platform in $(PLATFORMS); do \
	  CGO_ENABLED=1 GOOS=linux GOARCH=$${platform%:*} CC=$${platform#*:}-linux-gnu-gcc go build -buildvcs=true -trimpath \
	    -tags netgo,osusergo -ldflags '-s -w -linkmode external -extldflags -static' \
	    -o $(DIST)/broadsheet-linux-$${platform%:*} . || exit 1; \
	done
	go run -C deploy broadsheet/deploy/release -dist '$(CURDIR)/$(DIST)' -changelog '$(CURDIR)/CHANGELOG.md' '$(CURDIR)/web/package-lock.json' '$(CURDIR)/internal/httpapi/playground/app/package-lock.json'
	cd $(DIST) && sha256sum --check --quiet SHA256SUMS && cat SHA256SUMS

.PHONY: verify-release
verify-release: ## fails where two clones of the commit don't give the same release, byte for byte
	@clones=$$(mktemp -d) && trap 'rm -rf "$$clones"' EXIT && \
	for clone in one 'the other'; do git clone --quiet . "$$clones/$$clone" || exit 1; done && \
	for clone in one 'the other'; do GOCACHE="$$clones/cache of $$clone" $(MAKE) -C "$$clones/$$clone" release || exit 1; done && \
	diff "$$clones/one/$(DIST)/SHA256SUMS" "$$clones/the other/$(DIST)/SHA256SUMS" && echo 'the same bytes'

.PHONY: fuzz
fuzz: ## fuzzes each target for FUZZTIME, 1m unless set; finds go to testdata/fuzz
	@grep -rHoE '^func Fuzz\w+' --include='*_test.go' . | sed 's/:func / /' | while read -r file target; do \
	  echo "$$target, $$(dirname "$$file")" && \
	  go test "$$(dirname "$$file")" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s || exit 1; \
	done

# Its figures are in what it prints. BROADSHEET_SOAK_… sets sizes: the tests say which.
NEXT_CASSANDRA ?= 6.0-alpha2
.PHONY: soak
soak: fuzz ## the tests that take long: fuzzing, kills, three nodes, every fault, overload, memory, all on a real Cassandra; prints figures
	BROADSHEET_SOAK=1 $(EVERYWHERE) -- go test -v -count 1 -p 1 -timeout 6h -run "$(SOAK)" ./...
	BROADSHEET_SOAK=1 go test -v -count 1 -timeout 2h -run '^TestSoakLeftAndNext$$' ./cassandra # the whole matrix, on a double
	CASSANDRA_VERSION=$(NEXT_CASSANDRA) $(EVERYWHERE) -- go test -count 1 -p 1 -parallel 1 -timeout 2h ./cassandra/suite ./cassandra/migrate # changes of schemas, one at a time
	$(MAKE) verify-release
	$(EVERYWHERE) -- go test -count 1 -p 1 -timeout 2h ./cassandra/... ./internal/changes ./internal/e2e/... ./internal/live ./resolvers

FAULTS ?=
.PHONY: mutants
mutants: ## plants each fault of internal/mutants/faults.txt in the code, one at a time, and fails where its tests pass; FAULTS=commit chooses by name
	go run ./internal/mutants -run '$(FAULTS)'

# Ten runs each, for benchstat: make bench | tee new.txt
BENCH ?= .
.PHONY: bench
bench: ## Go's benchmarks with allocations, ten runs for benchstat; BENCH=name chooses
	$(CASSANDRA) -optimize -- go test -run '^$$' -bench '$(BENCH)' -benchmem -count 10 -timeout 2h ./...
