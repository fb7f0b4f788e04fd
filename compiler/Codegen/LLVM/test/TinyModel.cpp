// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds the text of the model and a context that can parse it.

#include "Codegen/LLVM/test/TinyModel.h"
#include "Graph/Graph.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace convoy::test {
namespace {

// Ten elements are one vector of eight and a tail of two. The weight starts at offset 64.
constexpr const char *kText = R"(
module attributes {
    memory.arena_bytes = 128 : i64, memory.weights_bytes = 104 : i64,
    memory.weights = [dense<[0.5, -1.0, 2.0, -4.0, 8.0, -16.0, 32.0, -64.0, 128.0, -256.0]> : tensor<10xf32>],
    memory.weight_offsets = array<i64: 64>} {
  func.func @main(
      %x: memref<10xf32> {graph.name = "x", graph.type = tensor<2x5xf32>, memory.role = "input"},
      %y: memref<10xf32> {graph.name = "y", graph.type = tensor<2x5xf32>, memory.role = "output"},
      %copy: memref<10xf32> {graph.name = "copy:0", graph.type = tensor<10xf32>, memory.role = "output"},
      %arena: memref<128xi8> {memory.role = "arena"},
      %weights: memref<104xi8> {memory.role = "weights"}) -> i32 {
    %zero = arith.constant 0 : index
    %ten = arith.constant 10 : index
    %offset = arith.constant 64 : index
    %w = memref.view %weights[%offset][] : memref<104xi8> to memref<10xf32>
    %sum = memref.view %arena[%offset][] : memref<128xi8> to memref<10xf32>
    task.call @add_0(%x, %w, %sum, %zero, %ten)
        : memref<10xf32>, memref<10xf32>, memref<10xf32>, index, index loc(#add)
    task.call @relu_1(%sum, %y, %zero, %ten)
        : memref<10xf32>, memref<10xf32>, index, index loc(#relu)
    memref.copy %x, %copy : memref<10xf32> to memref<10xf32>
    %ok = arith.constant 0 : i32
    return %ok : i32
  }
  task.kernel @add_0(%x: memref<10xf32>, %w: memref<10xf32>, %sum: memref<10xf32>,
                     %begin: index, %end: index) attributes {range = 10 : i64} {
    %one = arith.constant 1 : index
    %lanes = arith.constant 8 : index
    %length = arith.subi %end, %begin : index
    %tail = arith.remui %length, %lanes : index
    %middle = arith.subi %end, %tail : index
    scf.for %i = %begin to %middle step %lanes {
      %a = vector.load %x[%i] : memref<10xf32>, vector<8xf32>
      %b = vector.load %w[%i] : memref<10xf32>, vector<8xf32>
      %c = arith.addf %a, %b : vector<8xf32>
      vector.store %c, %sum[%i] : memref<10xf32>, vector<8xf32>
    }
    scf.for %i = %middle to %end step %one {
      %a = memref.load %x[%i] : memref<10xf32>
      %b = memref.load %w[%i] : memref<10xf32>
      %c = arith.addf %a, %b : f32
      memref.store %c, %sum[%i] : memref<10xf32>
    }
    task.return
  } loc(#add)
  task.kernel @relu_1(%x: memref<10xf32>, %y: memref<10xf32>, %begin: index, %end: index)
      attributes {range = 10 : i64} {
    %one = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %begin to %end step %one {
      %a = memref.load %x[%i] : memref<10xf32>
      %b = arith.maximumf %a, %zero : f32
      memref.store %b, %y[%i] : memref<10xf32>
    }
    task.return
  } loc(#relu)
}
#add = loc("block1/add"("Add"))
#relu = loc("block1/relu"("Relu"))
)";

} // namespace

TinyModel::TinyModel() : TinyModel(kText) {}

TinyModel::TinyModel(llvm::StringRef text) {
  DialectRegistry registry;
  registry
      .insert<arith::ArithDialect, func::FuncDialect, graph::GraphDialect, math::MathDialect,
              memref::MemRefDialect, scf::SCFDialect, task::TaskDialect, vector::VectorDialect>();
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    log += diagnostic.str() + "\n";
    return success();
  });
  parsed = parseSourceString<ModuleOp>(text, context.get());
}

TinyModel::~TinyModel() = default;

std::string oneKernel(llvm::StringRef body) {
  return (R"(module attributes {memory.arena_bytes = 0 : i64, memory.weights_bytes = 0 : i64,
                                 memory.weights = [], memory.weight_offsets = array<i64>} {
    func.func @main(
        %x: memref<16xf32> {graph.name = "x", graph.type = tensor<16xf32>, memory.role = "input"},
        %y: memref<16xf32> {graph.name = "y", graph.type = tensor<16xf32>, memory.role = "output"},
        %arena: memref<0xi8> {memory.role = "arena"},
        %weights: memref<0xi8> {memory.role = "weights"}) -> i32 {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      task.call @kernel_0(%x, %y, %zero, %one) : memref<16xf32>, memref<16xf32>, index, index
      %ok = arith.constant 0 : i32
      return %ok : i32
    }
    task.kernel @kernel_0(%x: memref<16xf32>, %y: memref<16xf32>, %begin: index, %end: index)
        attributes {range = 1 : i64} {
      %c0 = arith.constant 0 : index
      )" + body +
          "\n task.return } }")
      .str();
}

codegen::CodegenOptions hostOptions() {
  codegen::CodegenOptions options;
  options.model = "tiny";
  options.target = targets::detectHost();
  return options;
}

} // namespace convoy::test
