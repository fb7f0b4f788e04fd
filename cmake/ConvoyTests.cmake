# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Registers Convoy's tests with ctest. Every test has one of the labels `fast` (runs in
# CI), `nightly` or `perf`, and a time limit, so that ctest reports a hang as the failure
# of this test. Limits are for an idle machine; ctest allows CONVOY_TEST_TIME_FACTOR times as
# long, so that no result depends on the other programs of the machine.

# Debian's packages (numpy, onnx, psutil) belong to the system's Python, which may not be
# the first Python on the path.
find_program(CONVOY_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(CONVOY_PYTHON python3 REQUIRED)

# Models and golden outputs that are too large for this repository.
set(convoy_default_shared "")
if(EXISTS ${PROJECT_SOURCE_DIR}/../shared)
  get_filename_component(convoy_default_shared ${PROJECT_SOURCE_DIR}/../shared ABSOLUTE)
endif()
set(CONVOY_SHARED_DIR "${convoy_default_shared}" CACHE PATH
    "Folder that contains models/ for the tests that need it; empty if there is none")
if(CONVOY_SHARED_DIR)
  message(STATUS "Convoy: shared models in ${CONVOY_SHARED_DIR}")
else()
  message(STATUS "Convoy: ../shared does not exist; tests that need it are skipped")
endif()

# The model that examples/make_model.py generates; the fixture `example_model` writes it.
set(CONVOY_EXAMPLE_DIR ${PROJECT_BINARY_DIR}/tests/examples/model)
set(CONVOY_EXAMPLE_MODEL ${CONVOY_EXAMPLE_DIR}/stripes.onnx)

set(CONVOY_TEST_TIME_FACTOR 5 CACHE STRING "Factor of the time limits of tests, for busy machines")

# convoy_add_test(NAME name COMMAND cmd... [LABEL fast] [TIMEOUT seconds])
# Registers any command. The label defaults to `fast`, the limit to 120 s. ctest starts the tests
# with the longest explicit limits first: in a new clone, it has no times of earlier runs.
function(convoy_add_test)
  cmake_parse_arguments(ARG "" "NAME;LABEL;TIMEOUT" "COMMAND" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL fast)
  endif()
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_COMMAND})
  if(ARG_TIMEOUT)
    set_tests_properties(${ARG_NAME} PROPERTIES COST ${ARG_TIMEOUT})
  else()
    set(ARG_TIMEOUT 120)
  endif()
  math(EXPR limit "${ARG_TIMEOUT} * ${CONVOY_TEST_TIME_FACTOR}")
  # `convoy run` keeps compiled models; those of tests are in the build folder.
  set_tests_properties(${ARG_NAME} PROPERTIES
    LABELS ${ARG_LABEL} TIMEOUT ${limit} SKIP_RETURN_CODE 77
    ENVIRONMENT_MODIFICATION XDG_CACHE_HOME=set:${PROJECT_BINARY_DIR}/tests/cache)
endfunction()

# convoy_add_shared_test(NAME name NEEDS path-in-shared... COMMAND cmd... [LABEL ..] [TIMEOUT ..])
# Registers a test that needs data outside this repository. The test checks for the data
# when it runs: without the data, it prints `skipped: needs ../shared/...` and counts as
# skipped. COMMAND may use ${CONVOY_SHARED_DIR}.
function(convoy_add_shared_test)
  cmake_parse_arguments(ARG "" "NAME;LABEL;TIMEOUT" "NEEDS;COMMAND" ${ARGN})
  convoy_add_test(NAME ${ARG_NAME} LABEL ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/run-if-shared.sh "${CONVOY_SHARED_DIR}" ${ARG_NEEDS} --
            ${ARG_COMMAND})
endfunction()

# convoy_add_unit_test(name file.cpp... [PCH llvm|graph|none] [LINK lib...] [LABEL ..] [TIMEOUT ..])
# Adds a GoogleTest program. Its binary is in the build's bin/. The precompiled header contains
# GoogleTest. `none` is for programs that do not link LLVM.
function(convoy_add_unit_test name)
  cmake_parse_arguments(ARG "" "PCH;LABEL;TIMEOUT" "LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  if(NOT ARG_PCH)
    set(ARG_PCH graph)
  endif()
  if(NOT ARG_PCH STREQUAL "none")
    string(APPEND ARG_PCH _test)
  endif()
  convoy_use_pch(${name} ${ARG_PCH})
  convoy_add_test(NAME ${name} LABEL ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT} COMMAND ${name})
endfunction()
