// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of type rules: queries on operands and setters for result
// types. The caller supplies the known values: Import and the infer-types pass
// know constants, the reference interpreter knows every value.

#pragma once

#include "Support/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace convoy::graph {

constexpr int64_t kDynamic = mlir::ShapedType::kDynamic;

/// The known types and values. The base class knows types and constants.
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

  /// Returns whether the value is a tensor of known rank. A rule that requires
  /// an unknown rank calls setUnranked.
  bool hasRank(mlir::Value value) const;
  Shape shape(mlir::Value value) const; // kDynamic for unknown dimensions

  /// Returns the value if it is known. A null `value` (an absent optional
  /// operand) is unknown.
  std::optional<Tensor> value(mlir::Value value) const;
  /// Returns the elements of a known integer tensor.
  std::optional<Shape> ints(mlir::Value value) const;

  void set(unsigned result, mlir::Type type) { resultTypes[result] = type; }
  void set(unsigned result, mlir::Type element, llvm::ArrayRef<int64_t> shape);
  void setUnranked(unsigned result, mlir::Type element);
  llvm::ArrayRef<mlir::Type> results() const { return resultTypes; }

  /// Starts an error at the op: `return inference.error() << "...";`.
  mlir::InFlightDiagnostic error() const { return op->emitOpError(); }

private:
  mlir::Operation *op;
  Knowledge &knowledge;
  llvm::SmallVector<mlir::Type, 4> resultTypes;
};

/// Returns the common shape of two shapes under NumPy broadcasting
/// ([binary.3]), or nullopt if they do not broadcast. An unknown dimension and
/// 1 or an unknown dimension give an unknown dimension; an unknown dimension
/// and n > 1 give n.
std::optional<Shape> broadcastShapes(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

/// Adds `rank` to a negative axis. Returns nullopt if the axis is out of range.
std::optional<int64_t> normalizeAxis(int64_t axis, int64_t rank);

/// Runs the op's rule and returns the result types. Emits the same errors as
/// inferResultTypes.
mlir::FailureOr<llvm::SmallVector<mlir::Type>> inferTypesOf(mlir::Operation *op,
                                                            Knowledge &knowledge);

/// Runs the op's rule and sets the result types of the op. Emits the errors of
/// the rule, and an error if the number of elements exceeds the limit.
mlir::LogicalResult inferResultTypes(mlir::Operation *op, Knowledge &knowledge);

} // namespace convoy::graph

#include "Graph/TypeInference.h.inc"
