// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the convcore dialect and verifies inferred types and requantization attributes. Type
// rules are in Infer*.cpp.

#include "ConvCore/ConvCore.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ConvCore/ConvCoreDialect.cpp.inc"
#include "ConvCore/ConvCoreEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ConvCore/ConvCoreAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "ConvCore/ConvCoreOps.cpp.inc"

namespace convoy::convcore {

void ConvCoreDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ConvCore/ConvCoreAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ConvCore/ConvCoreOps.cpp.inc"
      >();
}

LogicalResult verifyInferredTypes(Operation *op) {
  graph::Knowledge knowledge;
  FailureOr<SmallVector<Type>> types = graph::inferTypesOf(op, knowledge);
  if (failed(types)) {
    return failure();
  }
  for (auto [given, inferred] : llvm::zip(op->getResultTypes(), *types)) {
    if (given != inferred) {
      return op->emitOpError("expects result type ") << inferred << ", got " << given;
    }
  }
  return success();
}

ActAttr ActAttr::getClip(MLIRContext *context, double low, double high) {
  Type f64 = Float64Type::get(context);
  return get(context, ActKind::Clip, FloatAttr::get(f64, low), FloatAttr::get(f64, high), {});
}

ActAttr ActAttr::getLeakyRelu(MLIRContext *context, double slope) {
  return get(context, ActKind::LeakyRelu, {}, {}, FloatAttr::get(Float64Type::get(context), slope));
}

/// Returns the least and greatest value of an integer type of up to 32 bits.
static std::pair<int64_t, int64_t> rangeOf(IntegerType type) {
  unsigned width = type.getWidth();
  if (type.isUnsigned()) {
    return {0, (int64_t(1) << width) - 1};
  }
  return {-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1};
}

LogicalResult RequantAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Type type,
                                  ArrayRef<int64_t> multipliers, ArrayRef<int64_t> shifts,
                                  int64_t zeroPoint, int64_t low, int64_t high, Rounding) {
  if (multipliers.empty() || multipliers.size() != shifts.size()) { // [requant.1]
    return emitError() << "expects as many multipliers as shifts, at least one, got "
                       << multipliers.size() << " and " << shifts.size();
  }
  for (auto [multiplier, shift] : llvm::zip(multipliers, shifts)) { // [requant.2]
    if (multiplier < 0 || multiplier >= int64_t(1) << 31 || shift < 1 || shift > 62) {
      return emitError() << "expects multipliers in [0, 2^31) and shifts in [1, 62], got "
                         << multiplier << " and " << shift;
    }
  }
  auto integer = llvm::dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() < 2 || integer.getWidth() > 32) { // [requant.3]
    return emitError() << "expects an integer type of up to 32 bits, got " << type;
  }
  auto [least, most] = rangeOf(integer);
  if (low < least || high > most || low > high || zeroPoint < least || zeroPoint > most) {
    return emitError() << "expects low <= high and a zero point, all in [" << least << ", " << most
                       << "], got low " << low << ", high " << high << ", zero point " << zeroPoint;
  }
  return success();
}

} // namespace convoy::convcore
