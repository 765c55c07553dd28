# One door to building, running and checking Brim. `make` alone lists the goals.
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-tests build demo gallery test check slow bench install format clean \
        docs deb setup-python python test-python bundle gpu-bundle cuda-programs check-format check-layers test-release test-embed \
        test-sanitize test-fuzz fuzz soak tsan cuda-check acceptance

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# Debian's, whatever else the PATH has.
PYTHON ?= /usr/bin/python3
# Two tests at a time, whatever the machine: each of them may use all cores.
CTEST := ctest --output-on-failure --no-tests=error -j2

help:
	@echo 'make demo                  installs what is missing (Debian packages), builds for this CPU alone, and lets a dam break'
	@echo 'make build                 leaves the command at build/brim, with double precision and for other CPUs too'
	@echo 'make gallery               one picture of every scene, into docs/gallery; those that are there stay'
	@echo 'make check                 the quick tests, for who changes something: format, layers, unit tests of one flavour'
	@echo 'make test                  all checks: format, layers, tests, Python, the embedding example, sanitizers, CUDA where nvcc is'
	@echo 'make tsan                  a small dam break with every solver under ThreadSanitizer'
	@echo 'make slow                  the tests that take minutes'
	@echo 'make fuzz                  every fuzzer for a minute (FUZZ_SECONDS=N: for N seconds); make soak: for an hour'
	@echo 'make bench                 speed and memory of fixed workloads, into bench/results'
	@echo 'make docs                  build-docs/dist: the documentation as a static site with a search (npm, doxygen)'
	@echo 'make deb                   build-deb: Debian packages of the command and of the library'
	@echo 'make bundle                build-bundle: a folder with the command and its libraries, for machines without them'
	@echo 'make gpu-bundle            build-gpu-bundle: the same with the tests of a GPU, for tools/gpu_check'
	@echo 'make python                build-python/wheel: a wheel of the Python package, tested in an environment of its own'
	@echo 'make install PREFIX=DIR    command, library, headers and scenes; PREFIX is $(PREFIX) by default'
	@echo 'make format                formats the sources as "make test" wants them'
	@echo 'make clean                 removes the build folders'

setup:
	@tools/setup

setup-tests:
	@tools/setup tests

setup-python:
	@tools/setup python

build: setup
	cmake --preset release
	tools/build --preset release -j $(JOBS) --target brim

# One flavour of five, so that the picture is there soon; what has been configured before stays as it is.
demo: setup
	@test -f build/build.ninja || cmake --preset release -DBRIM_ONE_FLAVOUR=ON
	tools/build --preset release -j $(JOBS) --target brim
	build/brim run scenes/dam_break.toml --overwrite

gallery: build
	tools/gallery

test: setup-tests check-format check-layers test-release test-python test-embed test-sanitize test-fuzz cuda-check acceptance
	@echo
	@echo "Release:    $$(grep 'tests passed' build/ctest.log)"
	@echo "Sanitizers: $$(grep 'tests passed' build-sanitize/ctest.log)"

check-format: setup
	@tools/check_format

check-layers:
	@tools/check_layers

test-release: setup-tests
	cmake --preset release -DBRIM_NEED_PAGES=ON
	tools/build --preset release -j $(JOBS)
	$(CTEST) --test-dir build -LE slow -O $(CURDIR)/build/ctest.log

# What a user of the library does: another project that finds an installed copy.
test-embed: setup
	rm -rf build/prefix build/embed
	cmake --install build --prefix build/prefix
	cmake -S examples/embed -B build/embed -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=$(CURDIR)/build/prefix
	cmake --build build/embed
	build/embed/embed

# Address and undefined-behaviour sanitizers, over the unit tests and a small dam break with every solver, in single
# precision and for CPUs without AVX2: so that the plainest flavour runs too, which the release build leaves out on newer CPUs.
test-sanitize: export UBSAN_OPTIONS = print_stacktrace=1
test-sanitize: setup
	cmake --preset sanitize
	tools/build --preset sanitize -j $(JOBS) --target test_unit brim
	@for solver in $$(build-sanitize/brim list solvers | cut -d' ' -f1); do \
	  echo "Sanitizers: $$solver"; \
	  build-sanitize/brim run scenes/dam_break_100k.toml --set resolution.spacing=0.08 --until 0.05 --quiet --overwrite \
	    --solver $$solver --out build-sanitize/out || exit 1; \
	done
	$(CTEST) --test-dir build-sanitize -L unit -LE slow -O $(CURDIR)/build-sanitize/ctest.log

# ThreadSanitizer, over a small dam break with every solver. tools/tsan stands in for TBB, which is not compiled with it.
tsan: export TSAN_OPTIONS = halt_on_error=1
tsan: setup
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS)
	@for solver in $$(build-tsan/brim list solvers | cut -d' ' -f1); do \
	  echo "ThreadSanitizer: $$solver"; \
	  build-tsan/brim run scenes/dam_break_100k.toml --set resolution.spacing=0.08 --until 0.02 --quiet --overwrite \
	    --solver $$solver --out build-tsan/out || exit 1; \
	done

# nvcc is no Debian package: where it is absent, the run passes and says so.
cuda-check: setup
	@nvcc=$$(PATH="$$PATH:/usr/local/cuda/bin" command -v nvcc); \
	if [ -z "$$nvcc" ]; then \
	  echo "CUDA: not checked (nvcc not found)"; \
	else \
	  export PATH="$$(dirname $$nvcc):$$PATH"; \
	  cmake --preset cuda && tools/build --preset cuda -j $(JOBS) && echo "CUDA: compiled with $$nvcc"; \
	fi

acceptance:
	@echo
	@tools/coverage build

# In a folder of its own, so that the other flavours stay where they are built.
check: setup check-format check-layers
	cmake --preset check
	tools/build --preset check -j $(JOBS)
	$(CTEST) --test-dir build-check -L unit -LE slow

slow: setup-tests
	cmake --preset release
	tools/build --preset release -j $(JOBS)
	ctest --output-on-failure --test-dir build -L slow

bench: setup
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target brim_bench brim_bench_grid
	build/brim_bench
	build/brim_bench_grid

docs:
	@tools/setup docs
	@tools/docs

# The command with its scenes, and the library with its headers, for other machines of the same Debian; all flavours.
deb:
	@tools/setup deb
	cmake --preset release -B build-deb -DCMAKE_INSTALL_PREFIX=/usr -DBRIM_BASELINE=ON -DBRIM_TESTS=OFF -DBRIM_DEB=ON $(DEB_FLAVOURS)
	cmake --build build-deb -j $(JOBS) --target brim brim_lib
	tools/deb build-deb

# A folder that runs without Brim's packages; with the GPU's flavour where nvcc is, for every GPU: CUDA_ARCHITECTURES=86 for one alone. Without OpenVDB, whose library is as large as all else.
CUDA_HERE := $(shell PATH="$$PATH:/usr/local/cuda/bin" command -v nvcc)
CUDA_ARCHITECTURES ?= every
bundle: setup
ifeq ($(CUDA_HERE),)
	cmake --preset release -DBRIM_BASELINE=ON -DBRIM_VDB=OFF -DBRIM_HDF5=OFF
	cmake --build --preset release -j $(JOBS) --target brim
	tools/bundle build/brim build-bundle
else
	$(MAKE) cuda-programs PROGRAMS=brim CUDA_ARCHITECTURES=$(CUDA_ARCHITECTURES)
	tools/bundle build-cuda/brim build-bundle
endif

# The same with the tests that tools/gpu_check runs.
gpu-bundle: setup
	$(MAKE) cuda-programs PROGRAMS="brim test_backends test_internal_cuda32 brim_bench_tanks" CUDA_ARCHITECTURES=90
	tools/bundle build-cuda/brim build-gpu-bundle build-cuda/test_backends build-cuda/test_internal_cuda32 build-cuda/brim_bench_tanks

cuda-programs: export PATH := $(dir $(CUDA_HERE)):$(PATH)
cuda-programs:
	cmake --preset cuda -DBRIM_TESTS=ON -DBRIM_BASELINE=ON -DBRIM_SINGLE_ONLY=OFF -DBRIM_CUDA_ARCHITECTURES=$(CUDA_ARCHITECTURES)
	cmake --build build-cuda -j $(JOBS) --target $(PROGRAMS)

# The command is told where its scenes will lie, so the prefix is known when it is compiled.
# The Python package as a wheel that carries its libraries, tested in a virtual environment of its own.
python: export BRIM_CMAKE_ARGS := -DBRIM_BASELINE=ON -DBRIM_REPORT=ON -DBRIM_VIEW=ON $(BRIM_CMAKE_ARGS)
python: setup setup-python
	rm -rf build-python/wheel build-python/venv
	$(PYTHON) -m pip wheel -q --no-deps --no-build-isolation -w build-python/wheel .
	$(PYTHON) -m venv --system-site-packages build-python/venv
	build-python/venv/bin/pip install -q --no-index build-python/wheel/*.whl
	cd build-python && venv/bin/python -m pytest -q -p no:cacheprovider ../python/tests
	@ls -s --block-size=MiB build-python/wheel

# The same package without a wheel: quick, for "make test".
test-python: setup setup-python
	cmake --preset release -DBRIM_PYTHON=ON
	cmake --build --preset release -j $(JOBS) --target brim brim_python
	PYTHONPATH=build/python $(PYTHON) -m pytest -q -p no:cacheprovider python/tests

install: setup
	cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DBRIM_BASELINE=ON
	cmake --build --preset release -j $(JOBS) --target brim
	cmake --install build

format: setup
	@tools/check_format --fix

# Fuzzers of all that reads what others wrote, each for FUZZ_SECONDS: 15 in "make test", an hour in "make soak".
FUZZ_SECONDS ?= 60
fuzz:
	@tools/setup fuzz
	cmake -S fuzz -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++
	cmake --build build-fuzz -j $(JOBS)
	fuzz/run $(FUZZ_SECONDS)

test-fuzz:
	$(MAKE) fuzz FUZZ_SECONDS=15

soak:
	$(MAKE) fuzz FUZZ_SECONDS=3600

clean:
	rm -rf build build-check build-fuzz build-sanitize build-tsan build-cuda build-bundle build-gpu-bundle build-python
