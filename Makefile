# Nereid: `make run` shows it at work, `make test` checks it. Both set themselves up first (scripts/setup);
# NEREID_NO_SETUP=1 leaves the machine as it is.

GO        ?= go
# -count=1: results depend on the tools at hand, which Go's test cache does not see. -vet=off: make check vets all.
TESTFLAGS ?= -count=1 -timeout 15m -vet=off
# Go's default, 100, costs the tests and the compiler that builds them a fifth of their time.
GOGC      ?= 300
BENCH     ?= .
FUZZTIME  ?= 30s
PREFIX    ?= /usr/local

export CGO_ENABLED := 0
# With or without -trimpath Go compiles every package once more: tests, and the programs that tests build, have it.
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath

# The packages whose tests take longest start first, so that none of them runs alone at the end.
LONGEST := ./internal/conform ./cli . ./internal/lower ./ops ./internal/bench ./internal/lang ./internal/middle \
	./internal/gpu ./internal/target/...

# A tool that is here must serve the tests that need it: they fail rather than be skipped. The tools are looked for
# once, when a recipe first asks, which is after prepare.
NEREID_REQUIRE_TOOLS ?= $(eval NEREID_REQUIRE_TOOLS := $(shell scripts/setup --have))$(NEREID_REQUIRE_TOOLS)
require = NEREID_REQUIRE_TOOLS="$(NEREID_REQUIRE_TOOLS)"

# What LLVM makes is shared by the test programs of one run, and gone afterwards (internal/llvm/llvmtest).
once = dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && NEREID_TEST_LLVM="$$dir"

.PHONY: run demo test test-modules test-examples test-browser test-capi test-python test-all test-orders systems test-cuda test-sim check build build-static capi capi-install wheel bench bench-cpu fuzz setup clean help

run: prepare build ## build nereid and show it at work
	@$(MAKE) --no-print-directory demo

demo:
	@scripts/demo bin/nereid

test: prepare ## every test of this module; CI also runs check, test-modules and systems
	@echo "tests need: $(NEREID_REQUIRE_TOOLS)"
	$(once) $(require) GOGC=$(GOGC) $(GO) test $(TESTFLAGS) $(LONGEST) ./...

test-modules: test-examples test-browser test-capi test-python ## the tests of the modules below examples/, of the page in a browser, of C, C++ and Python

test-examples test-browser test-capi test-python: prepare
	@$(require) GOGC=$(GOGC) GO="$(GO)" TESTFLAGS="$(TESTFLAGS)" scripts/$@

test-all: export NEREID_TEST_PART := all
test-all: ## every test without samples: all cases on all devices, 50000 random kernels, all replays; hours
	$(MAKE) --no-print-directory check test test-modules TESTFLAGS="-count=1 -timeout 0 -vet=off"
	NEREID_MEMFUZZ=50000 $(GO) test -count=1 -timeout 0 -run TestMemory ./internal/memfuzz
	for device in interp cpu sim:90; do \
	    $(GO) run ./cmd/nereid replay --device $$device --root . testdata/replay/*.safetensors || exit 1; done
	$(MAKE) --no-print-directory replay-orders test-sim

test-orders: export NEREID_TEST_PART := all
test-orders: replay-orders ## every case and recorded launch on the simulators under five orders, all interleavings of pipelines
	$(GO) test -count=1 -timeout 0 -run 'TestOrdersNVIDIA|TestExplore' ./internal/conform
	NEREID_TEST_AMD=all $(GO) test -count=1 -timeout 0 -run TestOrdersAMD ./internal/conform

.PHONY: replay-orders
replay-orders: build
	for device in sim:90 sim:80 sim:gfx942 sim:gfx90a sim:gfx1100; do \
	    for order in backward earliest latest random:1 adversarial:2; do \
	        NEREID_SIM_ORDER=$$order bin/nereid replay --device $$device --root . \
	            testdata/replay/*.safetensors || exit 1; done; done

systems: ## builds for other systems, the static binary, arm64 under qemu, Windows under wine, where the tools are here
	@GOGC=$(GOGC) GO="$(GO)" scripts/test-systems --fetch

build-static: ## bin/nereid-static: no C library needed, and no native library used (Alpine, scratch)
	$(GO) build -trimpath -tags nereid_static -o bin/nereid-static ./cmd/nereid

test-cuda: export NEREID_REQUIRE_TOOLS := gpu
test-cuda: ## the tests that need an NVIDIA GPU
	$(GO) test $(TESTFLAGS) ./internal/target/... ./internal/bench
	$(GO) test $(TESTFLAGS) -run GPU .
	NEREID_TEST_DEVICE=cuda:0 $(GO) test $(TESTFLAGS) -run 'Conform|Clusters' ./internal/conform
	$(GO) run ./cmd/nereid replay --device cuda:0 --root . testdata/replay/*.safetensors

test-sim: ## every test of AMD's GPUs on their emulators, in full: half an hour on one core
	NEREID_TEST_AMD=all $(GO) test -count=1 -timeout 0 ./internal/target/amd/...
	NEREID_TEST_AMD=all $(GO) test -count=1 -timeout 0 -run AMD ./internal/conform
	for chip in gfx942 gfx90a gfx1100; do \
	    $(GO) run ./cmd/nereid replay --device sim:$$chip --root . testdata/replay/*.safetensors || exit 1; done

check test-capi: GOGC = 800# mostly compilers, which end before the memory is full

check: ## formatting, vet, staticcheck, dead code; the tools as go.mod pins them
	@GO="$(GO)" scripts/check-format
	GOGC=$(GOGC) $(GO) vet ./...
	@# Go gets the files: of a package with -tags it would vet all imports again.
	GOGC=$(GOGC) $(GO) vet cmd/nereid/main.go cmd/nereid/redis.go
	@# Not by go tool, which has no -trimpath and would compile the standard library once more.
	GOGC=$(GOGC) $(GO) build -o out/tools/ honnef.co/go/tools/cmd/staticcheck
	GOGC=$(GOGC) out/tools/staticcheck ./...
	@GOGC=$(GOGC) GO="$(GO)" scripts/check-dead

build: ## bin/nereid
	$(GO) build -trimpath -o bin/nereid ./cmd/nereid

capi: ## bin/capi: the C library, libnereid.so and libnereid.a with nereid.h (docs/C.md); needs a C compiler
	@GO="$(GO)" scripts/build-capi

capi-install: capi ## libnereid, its headers, the CMake package and the pkg-config file to PREFIX (/usr/local)
	@scripts/install-capi "$(PREFIX)"

wheel: ## bin/nereid_triton-VERSION-py3-none-linux_x86_64.whl: the Python package (docs/PYTHON.md)
	@GO="$(GO)" python3 python/build.py

bench: ## Go benchmarks (BENCH=regexp)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

bench-cpu: build ## the CPU against C, OpenBLAS, NumPy and PyTorch: a table of ratios
	@GO="$(GO)" scripts/setup --bench
	bin/nereid bench --device cpu --peers --rep 2s

fuzz: ## every fuzz target in turn (FUZZTIME=30s each)
	@GO="$(GO)" scripts/fuzz $(FUZZTIME)

setup: ## fetch optional tools again, even if that failed a moment ago
	@GO="$(GO)" scripts/setup --retry

.PHONY: prepare
prepare:
	@GOGC=$(GOGC) GO="$(GO)" scripts/setup

clean: ## remove what the other targets made (not .venv)
	rm -rf bin out

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile
