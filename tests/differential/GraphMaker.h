// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a random module of graph ops from a seed. Each op is typed by its rule and
// evaluated as it is added (Trial.h); one that would make the comparison of two
// targets meaningless is taken out again.

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

  /// Makes @main of at most `maxOps` ops. Null when a rule or the reference refused
  /// an op that should be fine; the context has its diagnostics.
  mlir::OwningOpRef<mlir::ModuleOp> make(int maxOps);

  /// What the arguments of @main are, in order.
  const std::vector<Tensor> &inputs() const { return inputData; }
  /// What its results should be.
  std::vector<Sample> outputs() const;

  // What the makers of ops use.

  using Filter = llvm::function_ref<bool(mlir::Value)>;

  ElementType elementOf(mlir::Value value) const;
  Shape shapeOf(mlir::Value value) const;
  const Sample &sampleOf(mlir::Value value) const { return trial.of(value); }
  /// Whether infinities and NaN may appear.
  bool hasSpecials() const { return trial.allowsSpecials; }

  ElementType randomElement();
  ElementType randomFloat();
  Shape randomShape(int64_t minRank = 0, int64_t maxRank = 5);
  /// An argument or a constant that holds the tensor.
  mlir::Value fresh(const Tensor &tensor);
  mlir::Value fresh(ElementType type, llvm::ArrayRef<int64_t> shape);
  /// Without special values: weights of windows, which padding multiplies by zero.
  mlir::Value freshPlain(ElementType type, llvm::ArrayRef<int64_t> shape);
  mlir::Value freshPositive(ElementType type, llvm::ArrayRef<int64_t> shape);
  /// Integers from `low` to `high` as i32 or i64.
  mlir::Value freshIndices(llvm::ArrayRef<int64_t> shape, int64_t low, int64_t high);
  mlir::Value constant(const Tensor &tensor);
  mlir::Value ints(llvm::ArrayRef<int64_t> values) { return constant(Tensor::vector(values)); }

  /// A value of the graph that passes the filter, likelier a late one; null when
  /// there is none.
  mlir::Value find(Filter filter);
  /// A value of any number type, of floats, or of `type`, new when there is none.
  mlir::Value number(int64_t minRank = 0, int64_t maxRank = 5);
  mlir::Value floats(int64_t minRank = 0, int64_t maxRank = 5);
  mlir::Value anything(int64_t minRank = 0, int64_t maxRank = 5);
  mlir::Value ofType(ElementType type, llvm::ArrayRef<int64_t> shape);
  /// The value, or an exact one of its type and shape: ops that jump are seldom
  /// given what rounding changes.
  mlir::Value sharp(mlir::Value value);
  /// A value of the element type whose shape broadcasts with `shape`.
  mlir::Value broadcasting(ElementType type, llvm::ArrayRef<int64_t> shape);

  /// Creates and adds an op of `count` results; null when it cannot serve.
  template <typename OpT, typename... Args>
  mlir::Operation *add(Args &&...args) {
    return keep(builder.create<OpT>(typed.loc, typed.placeholder(), std::forward<Args>(args)...));
  }
  template <typename OpT, typename... Args>
  mlir::Operation *addMany(size_t count, Args &&...args) {
    llvm::SmallVector<mlir::Type> types(count, typed.placeholder());
    return keep(builder.create<OpT>(typed.loc, types, std::forward<Args>(args)...));
  }
  /// Types, evaluates and offers the results of an op to later ones.
  mlir::Operation *keep(mlir::Operation *op);

  /// Fills the block with up to `maxOps` ops and calls `end` where the builder
  /// stands at its end; values made inside are not seen outside.
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

/// One way to add an op; returns whether it did.
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
llvm::ArrayRef<Maker> controlMakers();

} // namespace convoy::test
