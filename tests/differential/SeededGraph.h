// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tests with graphs of one shape and random sizes share: the module around such a
// graph, its comparison with the reference, and the loop over seeds.

#pragma once

#include "Graph/TypedBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/differential/Differential.h"

namespace convoy::test {

class SeededGraph {
public:
  SeededGraph(mlir::MLIRContext *context, uint64_t seed);

  /// A function of one input and what `body` makes of it.
  mlir::ModuleOp make(llvm::ArrayRef<int64_t> input,
                      llvm::function_ref<mlir::Value(mlir::Value)> body,
                      ElementType element = ElementType::F32);
  mlir::func::FuncOp main() { return function; }

  Random random;

protected:
  mlir::Value constant(llvm::ArrayRef<int64_t> shape) {
    return b.constant(randomTensor(random, ElementType::F32, shape));
  }
  static Shape shapeOf(mlir::Value value) {
    return Shape(mlir::cast<mlir::RankedTensorType>(value.getType()).getShape());
  }

  mlir::Location loc;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  graph::TypedBuilder b;
  mlir::func::FuncOp function;
};

/// A context with what such graphs are made of.
class GraphContext : public mlir::MLIRContext {
public:
  GraphContext();
};

/// Runs a made graph on random data by `run`, which says what is wrong or nothing and
/// gives outputs, and compares with the reference. Prints the graph when it differs.
std::string compareWithReference(
    SeededGraph &graph, uint64_t seed,
    llvm::function_ref<std::string(mlir::ModuleOp, llvm::ArrayRef<Tensor>, std::vector<Tensor> &)>
        run);

/// The seeds of a command line: [FIRST SEED [COUNT]].
struct Seeds {
  uint64_t first = 1, count = 0;

  /// False after a message when the command line is wrong.
  bool parse(int argc, char **argv);
  /// Calls for each and returns how many have a problem, which it prints.
  int forEach(llvm::function_ref<std::string(uint64_t)> problemOf) const;
};

} // namespace convoy::test
