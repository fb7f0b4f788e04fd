// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op's type rule sees and sets. The caller decides what is known: Import
// and the infer-types pass know constants, the reference knows every value.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace convoy::graph {

constexpr int64_t kDynamic = mlir::ShapedType::kDynamic;

/// What is known of values now. The default knows types and constants.
class Knowledge {
public:
  virtual ~Knowledge() = default;
  virtual mlir::Type type(mlir::Value value) { return value.getType(); }
  virtual std::optional<Tensor> value(mlir::Value value);
};

class TypeInference {
public:
  TypeInference(mlir::Operation *op, Knowledge &knowledge)
      : op(op), knowledge(knowledge), resultTypes(op->getNumResults()) {}

  mlir::Type type(mlir::Value value) const { return knowledge.type(value); }
  mlir::Type elementType(mlir::Value value) const;

  /// Whether the value is a tensor of known rank. A rule that needs the rank and
  /// finds none calls setUnranked.
  bool hasRank(mlir::Value value) const;
  Shape shape(mlir::Value value) const; // kDynamic where unknown

  /// The value, when known. `value` may be null (an absent optional operand):
  /// that is not known either.
  std::optional<Tensor> value(mlir::Value value) const;
  /// The elements of a known integer tensor.
  std::optional<Shape> ints(mlir::Value value) const;

  void set(unsigned result, mlir::Type type) { resultTypes[result] = type; }
  void set(unsigned result, mlir::Type element, llvm::ArrayRef<int64_t> shape);
  void setUnranked(unsigned result, mlir::Type element);
  llvm::ArrayRef<mlir::Type> results() const { return resultTypes; }

  /// Starts an error at the op. Rules end `return inference.error() << "...";`.
  mlir::InFlightDiagnostic error() const { return op->emitOpError(); }

private:
  mlir::Operation *op;
  Knowledge &knowledge;
  llvm::SmallVector<mlir::Type, 4> resultTypes;
};

/// The common shape of two shapes under NumPy broadcasting ([binary.3]), or
/// nothing when they do not broadcast. An unknown dimension against 1 or unknown
/// stays unknown; against n > 1 it is n.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

/// Adds `rank` to a negative axis; nothing when it is out of range.
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

/// Runs the op's rule and returns the result types; same errors as below.
mlir::FailureOr<llvm::SmallVector<mlir::Type>> inferTypesOf(mlir::Operation *op,
                                                            Knowledge &knowledge);

/// Runs the op's rule and stores the result types on it. Emits what the rule
/// emits; also an error when a shape's element count leaves the limit.
mlir::LogicalResult inferResultTypes(mlir::Operation *op, Knowledge &knowledge);

} // namespace convoy::graph

#include "Graph/TypeInference.h.inc"
