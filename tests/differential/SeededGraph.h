// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the tests that generate graphs of one structure with random sizes: the module, the
// comparison with the reference, and the loop over seeds.

#pragma once

#include "Graph/TypedBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/differential/Differential.h"

namespace convoy::test {

class SeededGraph {
public:
  SeededGraph(mlir::MLIRContext *context, uint64_t seed);

  /// Makes a function with one input; `body` builds its result and may add inputs.
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

/// A context with the dialects of these graphs loaded.
class GraphContext : public mlir::MLIRContext {
public:
  GraphContext();
};

/// Runs the graph on random data with `run`, which gives the outputs and returns the problem or
/// an empty string. Compares the outputs with the reference and prints the graph if they differ.
/// Does not compare a graph with very large numbers unless `allowsLarge` is set.
std::string compareWithReference(
    SeededGraph &graph, uint64_t seed,
    llvm::function_ref<std::string(mlir::ModuleOp, llvm::ArrayRef<Tensor>, std::vector<Tensor> &)>
        run,
    bool allowsLarge = false);

/// Seeds given on the command line: [FIRST SEED [COUNT]].
struct Seeds {
  uint64_t first = 1, count = 0;

  /// Returns false, after printing a message, if the command line is invalid.
  bool parse(int argc, char **argv);
  /// Calls `problemOf` for each seed, prints the problems and returns their number.
  int forEach(llvm::function_ref<std::string(uint64_t)> problemOf) const;
};

/// Runs a test program. `compare` returns the problem with the graph of a seed or an empty string,
/// and adds the number of graphs that reach the tested code to its second argument. Returns the
/// exit code. The test fails if the sum is less than `leastShare` of the seeds, because it would
/// not cover this code. `reached` describes these graphs: "by the depthwise template".
int runSeeds(int argc, char **argv, Seeds seeds, llvm::StringRef reached, double leastShare,
             llvm::function_ref<std::string(uint64_t, int64_t &)> compare);

} // namespace convoy::test
