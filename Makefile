# make help, make run, make test: see each target's comment.
SHELL := /bin/bash
CASSANDRA := go run ./cassandra/cassandratest/withcassandra

.PHONY: help
help: ## prints this
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 18

.PHONY: run
run: ## starts the server on the embedded store
	go run .

.PHONY: check
check: vet verify-generated ## fast, offline: formatting, vet, generated code
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }

.PHONY: vet
vet:
	go vet ./...

.PHONY: generate
generate: ## writes graph/ from schema.graphqls, the README's map from blog.Map
	go generate ./...

.PHONY: verify-generated
verify-generated: ## fails where generated files are not what generate writes
	go generate ./...
	git diff --exit-code -- graph README.md

.PHONY: test
test: check ## all tests, with the race detector and a real Cassandra
	$(CASSANDRA) -- go test -race -timeout 20m ./...

.PHONY: test-embedded
test-embedded: ## the tests that need no Cassandra
	go test ./...
