// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of evaluators, and the table of evaluators. One file per op
// family defines its evaluators and adds them to the table.

#pragma once

#include "Graph/Graph.h"
#include "Support/TypedDiagnostic.h"
#include "reference/Datum.h"
#include "reference/Reference.h"
#include "llvm/ADT/DenseMap.h"

namespace convoy::reference {

class Interpreter;

/// The evaluation of one op. Evaluators look up operands with the op's
/// accessors:
///
///     static LogicalResult evaluateTile(graph::TileOp op, Evaluation &e) {
///       const Tensor &input = e.input(op.getInput());
///       Tensor &result = e.output();   // of the inferred type, all zeros
class Evaluation {
public:
  Evaluation(Interpreter &interpreter, mlir::Operation *op);

  /// Returns the tensor of an operand, or of any value visible in a region.
  const Tensor &input(mlir::Value value) const;
  const Datum &datum(mlir::Value value) const;

  /// Returns the result, allocated with its inferred type on first use. If
  /// inference fails or the result is too large, the function emits an error
  /// and the result is empty. The evaluator may then return success; the op
  /// still fails. Each of several results must be tested separately, because
  /// only some may be too large.
  Tensor &output(unsigned i = 0);
  /// Returns the result with a shape that depends on data. Emits an error and
  /// returns an empty result if it is too large.
  Tensor &allocate(unsigned i, llvm::ArrayRef<int64_t> shape);
  /// Returns whether all results were allocated so far; `allocate` and `output`
  /// emit the error otherwise.
  bool isWhole() const { return !isBroken; }
  /// Emits an error and fails if the text of a result exceeds the byte limit of
  /// a tensor.
  mlir::LogicalResult checkBytes(int64_t bytes) const;
  /// Emits an error and fails if the op sums more terms than the run allows.
  mlir::LogicalResult checkTerms(double terms) const;
  void set(unsigned i, Datum datum) { results[i] = std::move(datum); }
  /// Returns the element type of result i.
  ElementType outputType(unsigned i = 0) const;

  /// Runs a region's block with the given arguments and returns the yielded
  /// values.
  mlir::FailureOr<std::vector<Datum>> runRegion(mlir::Region &region,
                                                llvm::ArrayRef<Datum> arguments);
  /// Counts one loop iteration and fails if the limit is exceeded.
  mlir::LogicalResult countIteration();

  mlir::InFlightDiagnostic error() const { return op->emitOpError(); }
  mlir::InFlightDiagnostic unsupported() const { return emitUnsupported(op); }
  /// Starts an error of the kind and with the text of `error`.
  mlir::InFlightDiagnostic error(llvm::Error error) const {
    return emitOpError(op, std::move(error));
  }

private:
  friend class Interpreter;
  mlir::LogicalResult inferOutputs();
  mlir::LogicalResult reportTooLarge() const;

  Interpreter &interpreter;
  mlir::Operation *op;
  std::vector<Datum> results;
  std::vector<bool> isAllocated;
  llvm::SmallVector<mlir::Type> types;
  bool isBroken = false;
};

using Evaluator = mlir::LogicalResult (*)(mlir::Operation *, Evaluation &);

class EvaluatorTable {
public:
  template <typename OpT, mlir::LogicalResult (*kEvaluate)(OpT, Evaluation &)>
  void add() {
    table[mlir::TypeID::get<OpT>()] = [](mlir::Operation *op, Evaluation &e) {
      return kEvaluate(mlir::cast<OpT>(op), e);
    };
  }
  Evaluator find(mlir::Operation *op) const { return table.lookup(op->getName().getTypeID()); }

private:
  llvm::DenseMap<mlir::TypeID, Evaluator> table;
};

// Each op family has one function, which is called once when the table is
// built.
void addCollectionEvaluators(EvaluatorTable &table);
void addControlEvaluators(EvaluatorTable &table);
void addConvCoreEvaluators(EvaluatorTable &table);
void addCustomEvaluators(EvaluatorTable &table);
void addElementwiseEvaluators(EvaluatorTable &table);
void addExtentEvaluators(EvaluatorTable &table);
void addGeneratorEvaluators(EvaluatorTable &table);
void addImageEvaluators(EvaluatorTable &table);
void addIntegerEvaluators(EvaluatorTable &table);
void addLearningEvaluators(EvaluatorTable &table);
void addNormalizationEvaluators(EvaluatorTable &table);
void addOrderEvaluators(EvaluatorTable &table);
void addQuantizationEvaluators(EvaluatorTable &table);
void addRecurrentEvaluators(EvaluatorTable &table);
void addReductionEvaluators(EvaluatorTable &table);
void addSamplingEvaluators(EvaluatorTable &table);
void addScatterEvaluators(EvaluatorTable &table);
void addSelectionEvaluators(EvaluatorTable &table);
void addTensorEvaluators(EvaluatorTable &table);
void addTextEvaluators(EvaluatorTable &table);
void addTransformEvaluators(EvaluatorTable &table);
void addWindowEvaluators(EvaluatorTable &table);

/// Runs blocks and owns the live values.
class Interpreter {
public:
  explicit Interpreter(const RunOptions &options) : options(options) {}

  mlir::FailureOr<std::vector<Datum>> runBlock(mlir::Block &block, llvm::ArrayRef<Datum> arguments,
                                               bool isOutermost);
  mlir::FailureOr<std::vector<Datum>> evaluate(mlir::Operation *op);

  void bind(mlir::Value value, Datum datum) { values[value] = std::move(datum); }
  const Datum &lookup(mlir::Value value) const;

  const RunOptions options;
  int64_t iterations = 0;

private:
  void releaseOperands(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, Datum> values;
};

const EvaluatorTable &evaluatorTable();

} // namespace convoy::reference
