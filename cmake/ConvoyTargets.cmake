# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Defines how Convoy's targets are compiled: the warnings, the sanitizers and the choice of a
# precompiled header.

option(CONVOY_BUILD_TESTS "Build the tests and the benchmarks of the tuner; OFF builds only the tools" ON)
option(CONVOY_SERVICE "Build the tuning service, which needs the packages of NATS, PostgreSQL and gRPC" ON)
option(CONVOY_PYTHON_MODULES "Build the Python packages if pybind11 and Python's headers are installed" ON)
option(CONVOY_FUZZ "Build the libFuzzer targets" OFF)
set(CONVOY_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=")

# On Debian, MLIR's libraries are not in the loader's path. A program that links them has
# only their folder as its RUNPATH, also in the build folder. Otherwise, CMake would append
# an empty element to the RUNPATH of a program with an install rule, and replace it during
# installation. The loader treats an empty element as the working directory, so a library
# beside a model could run its code. tests/install checks the RUNPATH.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/compiler ${PROJECT_BINARY_DIR}/compiler
  ${PROJECT_SOURCE_DIR}/compiler/include ${PROJECT_SOURCE_DIR}/runtime/include)
add_definitions(${LLVM_DEFINITIONS})
add_compile_options(-Wall -Wextra -Werror -Wno-unused-parameter "SHELL:-Xclang -fno-pch-timestamp"
                    -ffp-contract=off)

if(CONVOY_SANITIZE)
  add_compile_options(-fsanitize=${CONVOY_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CONVOY_SANITIZE})
  # Debian's libMLIR lacks the RTTI data of some classes that the vptr check needs.
  if(CONVOY_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr,function)
  endif()
endif()
if(CONVOY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# convoy_add_library(NAME file.cpp... [PCH llvm|mlir|graph|kernel|none] [DEPENDS target...] [LINK lib...])
# Adds a static library of the compiler. PCH defaults to `graph`.
function(convoy_add_library name)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  convoy_use_pch(${name} "${ARG_PCH}")
endfunction()

# convoy_use_pch(NAME llvm|mlir|graph|kernel|llvm_test|graph_test|none)
# Selects a precompiled header of ConvoyPrecompiledHeaders.cmake; an empty name selects `graph`.
function(convoy_use_pch name pch)
  # The precompiled headers use -fPIC for libraries. clang rejects them in code compiled
  # with -fPIE, CMake's default for programs.
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
  set(pch_targets llvm ConvoyLlvmPch mlir ConvoyMlirPch graph ConvoyGraphPch kernel ConvoyKernelPch
    llvm_test ConvoyLlvmTestPch graph_test ConvoyGraphTestPch)
  if(pch STREQUAL "")
    set(pch graph)
  endif()
  list(FIND pch_targets ${pch} index)
  if(index GREATER_EQUAL 0)
    math(EXPR index "${index} + 1")
    list(GET pch_targets ${index} pch_target)
    target_precompile_headers(${name} REUSE_FROM ${pch_target})
  elseif(NOT pch STREQUAL "none")
    message(FATAL_ERROR "convoy_use_pch(${name}): there is no precompiled header '${pch}'")
  endif()
endfunction()

# convoy_tablegen(TARGET file.td  out.inc "-gen-x" out2.inc "-gen-y" ...)
# Generates each output from one .td beside it.
function(convoy_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest out generator)
    separate_arguments(generator UNIX_COMMAND "${generator}")
    mlir_tablegen(${out} ${generator})
  endwhile()
  add_public_tablegen_target(${target})
endfunction()
