# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Defines the precompiled headers. Each contains the headers that most files of one kind of
# library include, so that the compiler parses them and instantiates their templates once.
# convoy_use_pch in ConvoyTargets.cmake selects one for a target.
#
#   llvm     the C++ library and LLVM's support library
#   mlir     MLIR without Convoy's dialects
#   graph    llvm, MLIR's passes and the graph dialect
#   kernel   graph, the kernel and task dialects, and the dialects that kernels are lowered to
#
# The unit tests of `llvm` and of the other kinds have one precompiled header each, with
# GoogleTest. <iostream> is in none of them: its static object would be in every object file.

set(convoy_llvm_headers
  <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <deque>
  <fstream> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <set>
  <sstream> <string> <thread> <unordered_map> <vector>
  <llvm/ADT/ArrayRef.h> <llvm/ADT/STLExtras.h> <llvm/ADT/SmallString.h> <llvm/ADT/StringExtras.h>
  <llvm/ADT/StringSwitch.h> <llvm/Support/Error.h> <llvm/Support/FileSystem.h>
  <llvm/Support/Format.h> <llvm/Support/FormatVariadic.h> <llvm/Support/JSON.h>
  <llvm/Support/MathExtras.h> <llvm/Support/MemoryBuffer.h> <llvm/Support/Path.h>
  <llvm/Support/raw_ostream.h>)
set(convoy_mlir_headers
  <mlir/IR/Builders.h> <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/BuiltinTypes.h> <mlir/IR/DialectImplementation.h> <mlir/IR/OpDefinition.h>
  <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h> <mlir/Bytecode/BytecodeOpInterface.h>
  <mlir/Interfaces/ControlFlowInterfaces.h> <mlir/Interfaces/SideEffectInterfaces.h>
  <mlir/Pass/Pass.h>)
set(convoy_graph_headers ${convoy_llvm_headers}
  ${PROJECT_SOURCE_DIR}/compiler/Graph/Graph.h ${PROJECT_SOURCE_DIR}/compiler/Graph/Constant.h
  <llvm/ADT/TypeSwitch.h> <mlir/Dialect/Func/IR/FuncOps.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/IRMapping.h> <mlir/IR/PatternMatch.h> <mlir/Interfaces/ViewLikeInterface.h>
  <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>)
set(convoy_kernel_headers ${convoy_graph_headers}
  ${PROJECT_SOURCE_DIR}/compiler/Kernels/Kernel.h ${PROJECT_SOURCE_DIR}/compiler/Task/Task.h
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Vector/IR/VectorOps.h> <mlir/IR/ImplicitLocOpBuilder.h> <mlir/IR/Matchers.h>)
set(convoy_test_headers <gmock/gmock.h> <gtest/gtest.h>)

# convoy_add_pch(NAME header...): adds a target whose precompiled header others reuse. CMake
# requires a source file.
function(convoy_add_pch name)
  set(source ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "" @ONLY)
  add_library(${name} OBJECT ${source})
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

# The folders of the dialects define these targets.
convoy_add_pch(ConvoyLlvmPch ${convoy_llvm_headers})
convoy_add_pch(ConvoyMlirPch ${convoy_mlir_headers})
convoy_add_pch(ConvoyGraphPch ${convoy_graph_headers})
add_dependencies(ConvoyGraphPch ConvoyGraphIncGen)
convoy_add_pch(ConvoyKernelPch ${convoy_kernel_headers})
add_dependencies(ConvoyKernelPch ConvoyGraphIncGen ConvoyKernelIncGen ConvoyByteOpIncGen ConvoyTaskIncGen)
if(CONVOY_BUILD_TESTS)
  find_package(GTest REQUIRED)
  convoy_add_pch(ConvoyLlvmTestPch ${convoy_llvm_headers} ${convoy_test_headers})
  target_link_libraries(ConvoyLlvmTestPch PRIVATE GTest::gmock)
  convoy_add_pch(ConvoyGraphTestPch ${convoy_graph_headers}
    ${PROJECT_SOURCE_DIR}/compiler/Import/OnnxProto.h ${convoy_test_headers})
  target_link_libraries(ConvoyGraphTestPch PRIVATE GTest::gmock)
  add_dependencies(ConvoyGraphTestPch ConvoyGraphIncGen)
endif()
