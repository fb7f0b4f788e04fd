// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on registers of one element type, with the semantics of the graph dialect for NaN,
// zero divisors, wrapping and signs.

#pragma once

#include "Graph/Graph.h"
#include "Kernels/Loops/Registers.h"

namespace convoy::kernels {

struct Arithmetic {
  Lanes lanes;
  ElementType type;

  bool isFloatType() const { return isFloat(type); }
  bool isUnsignedType() const { return isUnsignedInteger(type); }
  mlir::Type scalar() const { return registerType(type, lanes.b.getContext()); }
  /// Returns a constant of the register type.
  mlir::Value number(double value) { return lanes.constantOf(scalar(), value); }

  mlir::Value unary(graph::UnaryKind kind, mlir::Value x);
  mlir::Value activation(graph::ActivationKind kind, mlir::Value x, double alpha, double beta);
  mlir::Value binary(graph::BinaryKind kind, mlir::Value x, mlir::Value y);
  /// Returns x to the power of y, whose type may differ.
  mlir::Value power(mlir::Value x, mlir::Value y, ElementType exponent);

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value equal(mlir::Value x, mlir::Value y);
  /// Returns whether x is larger (or smaller) than y, or x is NaN and y is not.
  mlir::Value outranks(mlir::Value x, mlir::Value y, bool takesMax = true);
  /// Returns x * y + z, with one rounding for floats.
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value z);
  /// Returns the lowest or highest value: the initial values of max and min.
  mlir::Value lowest();
  mlir::Value highest();

private:
  mlir::Value unaryFloat(graph::UnaryKind kind, mlir::Value x);
  mlir::Value unaryComposite(graph::UnaryKind kind, mlir::Value x);
  mlir::Value unaryInteger(graph::UnaryKind kind, mlir::Value x);
  mlir::Value integerDivide(mlir::Value x, mlir::Value y);
  mlir::Value remainder(mlir::Value x, mlir::Value y, bool takesDivisorSign);
  mlir::Value shift(mlir::Value x, mlir::Value y, bool isLeft);
  mlir::Value compare(graph::BinaryKind kind, mlir::Value x, mlir::Value y);
  mlir::Value integerPower(mlir::Value x, mlir::Value y, ElementType exponent);
};

} // namespace convoy::kernels
