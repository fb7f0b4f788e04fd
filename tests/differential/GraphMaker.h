// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates a random module of graph ops from a seed. The maker infers the type of each op and
// evaluates it when it adds the op (Trial.h). The maker removes an op whose result two correct
// targets may compute differently.

#pragma once

#include "Graph/TypedBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tests/differential/Trial.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace convoy::test {

class GraphMaker {
public:
  GraphMaker(mlir::MLIRContext *context, uint64_t seed);
  /// Makes the decisions of `random`.
  GraphMaker(mlir::MLIRContext *context, const Random &random, uint64_t trialSeed);

  /// Makes @main with at most `maxOps` ops. Returns null if type inference or the reference rejects
  /// a valid op; the context then has the diagnostics.
  mlir::OwningOpRef<mlir::ModuleOp> make(int maxOps);

  /// Returns the values of the arguments of @main, in order.
  const std::vector<Tensor> &inputs() const { return inputData; }
  /// Returns the expected results of @main.
  std::vector<Sample> outputs() const;

  // Interface for the makers of ops.

  using Filter = llvm::function_ref<bool(mlir::Value)>;

  ElementType elementOf(mlir::Value value) const;
  Shape shapeOf(mlir::Value value) const;
  const Sample &sampleOf(mlir::Value value) const { return trial.of(value); }
  /// Returns whether infinities and NaN may appear.
  bool hasSpecials() const { return trial.allowsSpecials; }

  ElementType randomElement();
  ElementType randomFloat();
  Shape randomShape(int64_t minRank = 0, int64_t maxRank = 5);
  /// Returns an argument or a constant that holds the tensor.
  mlir::Value fresh(const Tensor &tensor);
  mlir::Value fresh(ElementType type, llvm::ArrayRef<int64_t> shape);
  /// Returns a tensor without special values, for the weights of windows: padding multiplies
  /// weights by zero.
  mlir::Value freshPlain(ElementType type, llvm::ArrayRef<int64_t> shape);
  mlir::Value freshPositive(ElementType type, llvm::ArrayRef<int64_t> shape);
  /// Returns integers from `low` to `high` as i32 or i64.
  mlir::Value freshIndices(llvm::ArrayRef<int64_t> shape, int64_t low, int64_t high);
  mlir::Value constant(const Tensor &tensor);
  mlir::Value ints(llvm::ArrayRef<int64_t> values) { return constant(Tensor::vector(values)); }

  /// Returns a value of the graph that passes the filter, preferably a recent one, or null if there
  /// is none.
  mlir::Value find(Filter filter);
  /// Returns a value of any number type, of floats, or of `type`; makes a new one if there is none.
  mlir::Value number(int64_t minRank = 0, int64_t maxRank = 5);
  mlir::Value floats(int64_t minRank = 0, int64_t maxRank = 5);
  mlir::Value anything(int64_t minRank = 0, int64_t maxRank = 5);
  mlir::Value ofType(ElementType type, llvm::ArrayRef<int64_t> shape);
  /// Returns `value`, or an exact value of its type and shape. Discontinuous ops mostly get exact
  /// values, because rounding could change their result.
  mlir::Value sharp(mlir::Value value);
  /// Returns a value of the element type whose shape broadcasts with `shape`.
  mlir::Value broadcasting(ElementType type, llvm::ArrayRef<int64_t> shape);

  /// Creates and adds an op with `count` results; returns null if the op is unusable.
  template <typename OpT, typename... Args>
  mlir::Operation *add(Args &&...args) {
    return keep(builder.create<OpT>(typed.loc, typed.placeholder(), std::forward<Args>(args)...));
  }
  template <typename OpT, typename... Args>
  mlir::Operation *addMany(size_t count, Args &&...args) {
    llvm::SmallVector<mlir::Type> types(count, typed.placeholder());
    return keep(builder.create<OpT>(typed.loc, types, std::forward<Args>(args)...));
  }
  /// Infers types, evaluates the op and adds its results to the pool.
  mlir::Operation *keep(mlir::Operation *op);

  /// Fills the block with up to `maxOps` ops and calls `end` with the builder at the end of the
  /// block. Removes the values of the block from the pool afterwards.
  void fill(mlir::Block &block, int maxOps, llvm::function_ref<void()> end);

  Random random;
  Trial trial;
  mlir::OpBuilder builder;

private:
  void addOps(int count);
  void finish();
  llvm::SmallVector<mlir::Value> chooseResults();

  graph::TypedBuilder typed;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<mlir::Value> pool;
  std::vector<Tensor> inputData;
  std::vector<mlir::Value> results;
  int depth = 0;
  bool hasFailed = false;
};

/// Adds one kind of op; returns whether it did.
struct Maker {
  const char *name;
  int weight;
  bool (*make)(GraphMaker &);
};

llvm::ArrayRef<Maker> elementwiseMakers();
llvm::ArrayRef<Maker> movementMakers();
llvm::ArrayRef<Maker> selectionMakers();
llvm::ArrayRef<Maker> reductionMakers();
llvm::ArrayRef<Maker> layerMakers();
llvm::ArrayRef<Maker> transformerMakers();
llvm::ArrayRef<Maker> controlMakers();

} // namespace convoy::test
