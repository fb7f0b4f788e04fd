// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the time of element-wise ops.

#include "Kernels/OpCycles.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::kernels {

using graph::ActivationKind;
using graph::BinaryKind;
using graph::UnaryKind;

namespace {

// Estimated cycles per vector of f32, measured on vectors of 64 bytes.
constexpr double kDivisionCycles = 12;
constexpr double kFunctionCycles = 14;
constexpr double kPowerCycles = 40;

double cyclesOf(graph::UnaryOp op) {
  switch (op.getKind()) {
  case UnaryKind::Abs:
  case UnaryKind::Neg:
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::Round:
  case UnaryKind::Sign:
  case UnaryKind::Relu:
  case UnaryKind::Not:
  case UnaryKind::BitNot:
  case UnaryKind::IsNaN:
  case UnaryKind::IsInf:
  case UnaryKind::IsPosInf:
  case UnaryKind::IsNegInf:
  case UnaryKind::HardSwish:
    return kSimpleCycles;
  case UnaryKind::Sqrt:
  case UnaryKind::Reciprocal:
  case UnaryKind::Softsign:
    return kDivisionCycles;
  default:
    return kFunctionCycles;
  }
}

} // namespace

double cyclesPerVector(Operation *op) {
  if (auto unary = dyn_cast<graph::UnaryOp>(op)) {
    return cyclesOf(unary);
  }
  if (auto activation = dyn_cast<graph::ActivationOp>(op)) {
    bool isSimple = llvm::is_contained({ActivationKind::LeakyRelu, ActivationKind::HardSigmoid,
                                        ActivationKind::ThresholdedRelu, ActivationKind::Shrink,
                                        ActivationKind::Affine},
                                       activation.getKind());
    return isSimple ? kSimpleCycles : kFunctionCycles;
  }
  if (auto binary = dyn_cast<graph::BinaryOp>(op)) {
    switch (binary.getKind()) {
    case BinaryKind::Div:
    case BinaryKind::Mod:
    case BinaryKind::FMod:
      return kDivisionCycles;
    case BinaryKind::Pow:
      return kPowerCycles;
    default:
      return kSimpleCycles;
    }
  }
  return isa<graph::ConstantOp>(op) ? 0 : kSimpleCycles;
}

} // namespace convoy::kernels
