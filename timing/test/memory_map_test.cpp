// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests where and how long tensors are in the arena, and which constants belong to which layer.

#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "timing/MemoryMap.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::timing;

namespace {

constexpr char kKernels[] = R"(
  task.kernel @a(memref<100xi8>, memref<8xi32>, memref<64xi8>, index, index)
      attributes {range = 32 : i64, tensors = (tensor<100xi8>, tensor<8xi32>) -> tensor<64xi8>}
  task.kernel @b(memref<64xi8>, memref<8xi32>, memref<32xi8>, memref<16xi8>, index, index)
      attributes {range = 32 : i64, tensors = (tensor<64xi8>, tensor<8xi32>) -> tensor<32xi8>}
  task.kernel @image(memref<64xi8>, index, index)
      attributes {range = 32 : i64, tensors = () -> tensor<1x4x8x2xi8>}
  task.kernel @c(memref<32xi8>, memref<10xi8>, index, index)
      attributes {range = 32 : i64, tensors = (tensor<32xi8>) -> tensor<10xi8>}
)";

/// Reads @main with the given body. Its arguments are %in, %out, %arena and %weights; constants
/// %k0, %k32, %k64 .. are offsets.
MemoryMap mapOf(llvm::StringRef body) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  context.loadDialect<mlir::func::FuncDialect, mlir::memref::MemRefDialect,
                      mlir::arith::ArithDialect, mlir::scf::SCFDialect, task::TaskDialect>();
  std::string text = std::string(kKernels) + R"(
  func.func @main(%in: memref<100xi8> {memory.role = "input"},
                  %out: memref<10xi8> {memory.role = "output"},
                  %arena: memref<160xi8> {memory.role = "arena"},
                  %weights: memref<64xi8> {memory.role = "weights"}) {
    %k0 = arith.constant 0 : index
    %k32 = arith.constant 32 : index
    %k64 = arith.constant 64 : index
    %k96 = arith.constant 96 : index
    %table = memref.view %weights[%k32][] : memref<64xi8> to memref<8xi32>
    %a = memref.view %arena[%k0][] : memref<160xi8> to memref<64xi8>
    %b = memref.view %arena[%k64][] : memref<160xi8> to memref<32xi8>
    %scratch = memref.view %arena[%k96][] : memref<160xi8> to memref<16xi8>
)" + body.str() + "    return\n  }\n";
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  return module ? readMemoryMap(*module) : MemoryMap();
}

void expectTensor(const report::MicroTensor &tensor, int64_t layer, int64_t offset, int64_t bytes,
                  int64_t first, int64_t last) {
  EXPECT_EQ(tensor.layer, layer);
  EXPECT_EQ(tensor.offset, offset);
  EXPECT_EQ(tensor.bytes, bytes);
  EXPECT_EQ(tensor.first, first);
  EXPECT_EQ(tensor.last, last);
}

constexpr char kCallA[] =
    "task.call @a(%in, %table, %a, %k0, %k32) : memref<100xi8>, memref<8xi32>, "
    "memref<64xi8>, index, index\n";
constexpr char kCallB[] = "task.call @b(%a, %table, %b, %scratch, %k0, %k32) : memref<64xi8>, "
                          "memref<8xi32>, memref<32xi8>, memref<16xi8>, index, index\n";
constexpr char kCallC[] =
    "task.call @c(%b, %out, %k0, %k32) : memref<32xi8>, memref<10xi8>, index, "
    "index\n";

TEST(MemoryMap, TensorsLiveFromTheirWriterToTheirLastReader) {
  MemoryMap map = mapOf(std::string(kCallA) + kCallB + kCallC);
  ASSERT_EQ(map.layers.size(), 3u);
  EXPECT_EQ(map.layers[1].kernel, "b");
  EXPECT_EQ(map.inputBytes, 100);
  EXPECT_EQ(map.outputBytes, 10);
  ASSERT_EQ(map.tensors.size(), 3u);
  expectTensor(map.tensors[0], 0, 0, 64, 0, 1);
  expectTensor(map.tensors[1], 1, 64, 32, 1, 2);
  expectTensor(map.tensors[2], 1, 96, 16, 1, 1);
  EXPECT_TRUE(map.tensors[2].isScratch);
}

TEST(MemoryMap, AConstantBelongsToTheFirstLayerThatReadsIt) {
  MemoryMap map = mapOf(std::string(kCallA) + kCallB);
  ASSERT_EQ(map.layers.size(), 2u);
  EXPECT_EQ(map.layers[0].weightsBytes, 32);
  EXPECT_EQ(map.layers[1].weightsBytes, 0);
}

TEST(MemoryMap, InputsAndOutputsInTheArenaBelongToTheCaller) {
  // @b reads %a before a layer writes it, and nothing reads %b.
  MemoryMap map = mapOf(std::string(kCallB) + kCallA);
  ASSERT_EQ(map.tensors.size(), 4u);
  expectTensor(map.tensors[0], -1, 0, 64, 0, 0);
  expectTensor(map.tensors[1], 0, 64, 32, 0, 1);
  expectTensor(map.tensors[3], 1, 0, 64, 1, 1);
}

TEST(MemoryMap, TensorsOfALoopLiveDuringTheWholeLoop) {
  MemoryMap map = mapOf("scf.for %i = %k0 to %k64 step %k32 {\n" + std::string(kCallA) + kCallB +
                        "}\n" + kCallC);
  ASSERT_EQ(map.tensors.size(), 3u);
  expectTensor(map.tensors[0], 0, 0, 64, 0, 1);
  expectTensor(map.tensors[1], 1, 64, 32, 0, 2);
  expectTensor(map.tensors[2], 1, 96, 16, 0, 1);
}

TEST(MemoryMap, ARingHoldsSomeRowsOfItsTensor) {
  // The result of @image has 8 rows of 8 bytes, of which the arena holds 3.
  MemoryMap map = mapOf("task.call @image(%a, %k0, %k32) {rings = array<i64: 3, 0, 0>} : "
                        "memref<64xi8>, index, index\n");
  ASSERT_EQ(map.tensors.size(), 1u);
  expectTensor(map.tensors[0], 0, 0, 24, 0, 0);
}

TEST(MemoryMap, CallsOfOneLayerWriteOneTensor) {
  MemoryMap map = mapOf(std::string(kCallA) + kCallA + kCallB);
  ASSERT_EQ(map.layers.size(), 2u);
  EXPECT_EQ(map.tensors.size(), 3u);
}

} // namespace
