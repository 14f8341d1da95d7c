# The short way in; CMakeLists.txt and CMakePresets.json are the real thing.
# `make help` lists the goals. Each installs what it needs, or says what is missing (cmake/setup.sh), and configures its
# build again when something has been installed or removed since.

PREFIX  ?= /usr/local
MINUTES ?= 60
DEMO    ?= # --long or --short: examples/demo.sh
presets := release debug asan tsan clang
mutated := $(patsubst tests/%/mutations.py,%,$(wildcard tests/*/mutations.py))
mutated_programs := $(patsubst %,unit.%,$(subst api_c,api,$(subst api_mpi,api.mpi,$(mutated))))

.DEFAULT_GOAL := release
.PHONY: $(presets) demo test test-deep test-foreign fresh install install-tsan deb bench evaluate soak random pictures mutations format tidy clean help always

release: ## build the library, the tools, the examples and the tests into build/release (default)
debug:   ## the same without optimization, with assertions
asan:    ## build with Clang's AddressSanitizer and UndefinedBehaviorSanitizer, and run the unit and stress tests
tsan:    ## the same with GCC's ThreadSanitizer
clang:   ## build with Clang

demo: ## the two programs of the README on all cores, checked, beside MPICH and Open MPI; builds only these
	@bash cmake/setup.sh demo
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build build/release --target demo
	bash examples/demo.sh $(DEMO) build/release

test: ## the tests that find most for the time they take: five minutes on two cores, and seven to build
	@bash cmake/setup.sh test
	@bash tests/run_all.sh quick

test-deep: ## the rest: long tests, one MPI of each family for everything, Clang, and the unit and stress tests under the sanitizers
	@bash cmake/setup.sh test
	@bash tests/run_all.sh deep

test-foreign: ## programs of others over the library of MPI programs, as processes and as threads (docs/mpi_foreign.md)
	@bash cmake/setup.sh foreign
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build build/release --target pure_mpi pure_ranks_mpi purerun mpi2pure
	bash tests/foreign/sources.sh build/foreign build/release
	python3 tests/foreign/run.py build/release build/foreign

fresh: ## README and all pages, followed on a minimal Debian that has nothing, as root and as a user without sudo (as root)
	@bash cmake/setup.sh fresh
	@bash tests/fresh.sh

install: ## install the release build below PREFIX (/usr/local)
	@bash cmake/setup.sh library
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build build/release --target what_is_installed
	cmake --install build/release --prefix "$(PREFIX)"

# The usual library, but for -O1 (ThreadSanitizer takes most of the time anyway) and lines, which reports name.
install-tsan: ## beside it the copy of the library for programs that are built with -fsanitize=thread
	@bash cmake/setup.sh library
	cmake -S . -B build/install-tsan -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -g1 -DNDEBUG" \
	  -DPURE_SANITIZE=thread -DBUILD_SHARED_LIBS=ON -DPURE_BUILD_TOOLS=OFF -DPURE_BUILD_TESTS=OFF -DPURE_BUILD_EXAMPLES=OFF
	cmake --build build/install-tsan
	cmake --install build/install-tsan --prefix "$(PREFIX)"

deb: ## Debian packages into build/deb/packages (packaging/README.md)
	@bash cmake/setup.sh deb
	cmake -S . -B build/deb -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DPURE_WERROR=ON \
	  -DPURE_BUILD_TESTS=OFF -DPURE_BUILD_EXAMPLES=OFF
	cmake --build build/deb --target package

bench: ## all benchmarks, against the MPIs found here
	@bash cmake/setup.sh bench
	bench/run

evaluate: ## the paper's programs on Pure and on the MPIs found here: a report in report/; ARGS=--quick: one minute
	@bash cmake/setup.sh evaluate
	bench/evaluate $(ARGS)

soak: ## the parts of tests that are in no other goal; stress tests in all three builds with new seeds, for MINUTES (60)
	@bash cmake/setup.sh test
	bash tests/soak.sh $(MINUTES)

random: ## random MPI programs over the MPI door and over the MPIs found here, with new seeds, for MINUTES (60)
	@bash cmake/setup.sh test
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build build/release --target pure_mpi purerun
	python3 tests/mpi_abi/random_programs.py build/release --minutes $(MINUTES) --seed $$(date +%s)

pictures: ## the pictures of docs/ again, from runs on this machine
	@bash cmake/setup.sh build
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build build/release --target pure purerun pure_tool plugins histogram
	bash docs/pictures/make.sh build/release

mutations: ## plants mistakes (tests/ROOM/mutations.py): a unit test has to catch each
	@bash cmake/setup.sh test
	@$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build build/release --target $(mutated_programs)
	@failed=; for room in $(mutated); do python3 tests/$$room/mutations.py . build/release || failed=1; done; [ -z "$$failed" ]

format: ## clang-format on every C++ file
	@bash cmake/setup.sh format
	git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' '*.h' | xargs clang-format-14 -i

tidy: ## clang-tidy on the library and the tools
	@bash cmake/setup.sh tidy
	@$(MAKE) --no-print-directory build/clang/build.ninja # clang-tidy reads no precompiled headers of GCC
	run-clang-tidy-14 -quiet -p build/clang '/(src|tools)/.*\.cpp$$'

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -nE 's/^([a-z-]+): *## (.*)/  make \1\t\2/p' Makefile | expand -t 18

$(presets):
	@bash cmake/setup.sh $(if $(filter asan clang,$@),$@,build)
	@$(MAKE) --no-print-directory build/$@/build.ninja
	cmake --build build/$@
	$(if $(filter asan tsan,$@),ctest --preset $@)

# CMake runs again by itself when one of its files has changed, except for the presets.
build/%/build.ninja: CMakePresets.json build/installed
	cmake --preset $* --log-level=NOTICE $(if $(filter asan,$*),--fresh) # once it was GCC's, and CMake forgets options then
	@ninja -C build/$* -t cleandead > /dev/null # what was built for an MPI that is gone
	@touch $@

# What there is to build with. It changes only when something was installed or removed (cmake/look_again.cmake).
build/installed: always
	@bash cmake/setup.sh --note $@
always: ;
