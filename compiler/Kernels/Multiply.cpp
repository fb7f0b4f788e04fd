// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies multiply ops. Multiply.td numbers the constraints.

#include "Kernels/Kernel.h"
#include "Kernels/Machine.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

LogicalResult checkLanes(Operation *op, VectorType type, DotForm form) {
  int64_t lanes = type.getNumElements();
  if (lanes != 4 && lanes != 8 && lanes != 16) { // [dot_bytes.2] [dot_words.2]
    return op->emitOpError("expects vectors of 4, 8 or 16 lanes, got ") << lanes;
  }
  if (isOfArm(form) && lanes != 4) { // [dot_bytes.2]
    return op->emitOpError("expects vectors of 4 lanes for form '")
           << stringifyDotForm(form) << "', got " << lanes;
  }
  return success();
}

} // namespace

LogicalResult DotBytesOp::verify() {
  bool hasBytes = getForm() == DotForm::Bytes || isOfArm(getForm());
  if (!hasBytes || getSigns() != signsOf(getForm())) { // [dot_bytes.1]
    return emitOpError("expects a form with an instruction for four byte products, got '")
           << stringifyDotForm(getForm()) << "' with signs '" << stringifySigns(getSigns()) << "'";
  }
  return checkLanes(*this, getType(), getForm());
}

LogicalResult DotWordsOp::verify() {
  if (getForm() != DotForm::Bytes && getForm() != DotForm::Pairs) { // [dot_words.1]
    return emitOpError("expects a form with an instruction for two word products, got '")
           << stringifyDotForm(getForm()) << "'";
  }
  return checkLanes(*this, getType(), getForm());
}

LogicalResult MultiplyHalvesOp::verify() {
  int64_t lanes = getType().getNumElements();
  if (lanes != 2 && lanes != 4 && lanes != 8) { // [multiply_halves.1]
    return emitOpError("expects vectors of 2, 4 or 8 lanes, got ") << lanes;
  }
  return success();
}

} // namespace convoy::kernels
