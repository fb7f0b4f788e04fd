# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How Convoy's own targets are compiled: one set of warnings, one precompiled
# header for code that sees only MLIR and one for code that sees our dialects.

option(CONVOY_BUILD_TESTS "Build the tests and the benchmarks of the tuner; OFF: only the tools" ON)
option(CONVOY_FUZZ "Build the libFuzzer targets" OFF)
set(CONVOY_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=")

# Debian keeps MLIR's libraries out of the loader's path: a program that links them has
# their folder, and nothing else, as its RUNPATH, from the build on. CMake would otherwise
# append an empty element to the RUNPATH of a program that has an install rule, to find
# and replace it when it installs the program. The loader takes that element for the
# working directory: a library beside a model would run its code. tests/install checks.
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
  # Debian's libMLIR is built without RTTI data for some classes that the vptr
  # check would look at.
  if(CONVOY_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr,function)
  endif()
endif()
if(CONVOY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# convoy_add_library(NAME file.cpp... [PCH mlir|graph|none] [DEPENDS target...] [LINK lib...])
# A static library of the compiler. PCH defaults to `graph`.
function(convoy_add_library name)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  convoy_use_pch(${name} "${ARG_PCH}")
endfunction()

function(convoy_use_pch name pch)
  # The precompiled headers are -fPIC, as libraries need; clang refuses them in
  # code compiled with -fPIE, CMake's choice for programs.
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
  if(pch STREQUAL "" OR pch STREQUAL "graph")
    target_precompile_headers(${name} REUSE_FROM ConvoyGraphPch)
  elseif(pch STREQUAL "mlir")
    target_precompile_headers(${name} REUSE_FROM ConvoyMlirPch)
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
