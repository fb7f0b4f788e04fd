// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the evaluator of one op sees, and the table of evaluators. One file per
// op family defines its evaluators and adds them to the table.

#pragma once

#include "Graph/Graph.h"
#include "reference/Datum.h"
#include "reference/Reference.h"
#include "llvm/ADT/DenseMap.h"

namespace convoy::reference {

class Interpreter;

/// One op being evaluated. Operands are looked up by the op's own accessors:
///
///     static LogicalResult evaluateTile(graph::TileOp op, Evaluation &e) {
///       const Tensor &input = e.input(op.getInput());
///       Tensor &result = e.output();   // of the inferred type, all zeros
class Evaluation {
public:
  Evaluation(Interpreter &interpreter, mlir::Operation *op);

  /// The tensor of an operand; of any visible value inside a region's parent.
  const Tensor &input(mlir::Value value) const;
  const Datum &datum(mlir::Value value) const;

  /// The result, allocated at its inferred type on first use. When inference
  /// fails or the result is too large, the error is out already and the result is
  /// empty: evaluators may return success, the op fails all the same. Of several
  /// results one may be too large and another not, so each is tested by itself.
  Tensor &output(unsigned i = 0);
  /// The result with a shape that depends on data; empty, as above, when it is
  /// too large.
  Tensor &allocate(unsigned i, llvm::ArrayRef<int64_t> shape);
  /// Whether no result is missing so far; `allocate` and `output` said why.
  bool isWhole() const { return !isBroken; }
  /// Fails, with an error, when the text of a result takes more bytes than a
  /// tensor may.
  mlir::LogicalResult checkBytes(int64_t bytes) const;
  /// Fails, with an error, when the op is to sum up more terms than the run allows.
  mlir::LogicalResult checkTerms(double terms) const;
  void set(unsigned i, Datum datum) { results[i] = std::move(datum); }
  /// Element type of result i.
  ElementType outputType(unsigned i = 0) const;

  /// Runs a region's block with the given arguments; returns what it yields.
  mlir::FailureOr<std::vector<Datum>> runRegion(mlir::Region &region,
                                                llvm::ArrayRef<Datum> arguments);
  /// Counts one loop iteration against the limit.
  mlir::LogicalResult countIteration();

  mlir::InFlightDiagnostic error() const { return op->emitOpError(); }

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

// One per family, called once when the table is built.
void addCollectionEvaluators(EvaluatorTable &table);
void addControlEvaluators(EvaluatorTable &table);
void addConvCoreEvaluators(EvaluatorTable &table);
void addElementwiseEvaluators(EvaluatorTable &table);
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

/// Runs blocks; owns the values that are alive.
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
