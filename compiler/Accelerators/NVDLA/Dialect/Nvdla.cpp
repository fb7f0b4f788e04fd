// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the nvdla dialect and verifies its ops.

#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "Accelerators/NVDLA/Dialect/NvdlaDialect.cpp.inc"
#include "Accelerators/NVDLA/Dialect/NvdlaEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Accelerators/NVDLA/Dialect/NvdlaAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "Accelerators/NVDLA/Dialect/NvdlaOps.cpp.inc"

namespace convoy::nvdla {

void NvdlaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Accelerators/NVDLA/Dialect/NvdlaAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Accelerators/NVDLA/Dialect/NvdlaOps.cpp.inc"
      >();
}

LogicalResult StageAttr::verify(function_ref<InFlightDiagnostic()> emitError, Alu, int64_t,
                                int64_t aluOperand, int64_t mulOperand, int64_t shift,
                                int64_t truncate, int64_t, OperandSource) {
  auto isShift = [](int64_t value) { return value >= 0 && value <= 63; };
  if (!isShift(shift) || !isShift(truncate) || !llvm::isInt<16>(aluOperand) ||
      !llvm::isInt<16>(mulOperand)) {
    return emitError() << "expects shifts in [0, 63] and 16-bit operands, got " << shift << ", "
                       << truncate << ", " << aluOperand << " and " << mulOperand;
  }
  return success();
}

LogicalResult ConvOp::verify() { // [conv.1]
  Type element = cast<RankedTensorType>(getType()).getElementType();
  if (!element.isSignlessInteger(32) && !isa<FloatType>(element)) {
    return emitOpError("expects a result of i32 or floats, got ") << element;
  }
  Operation *op = getOperation();
  if (!op->hasOneUse() || !isa<SdpOp>(*op->getUsers().begin())) {
    return emitOpError("expects one nvdla.sdp as the only user: CONV cannot write to memory");
  }
  return success();
}

LogicalResult SdpOp::verify() {
  auto isConsistent = [](std::optional<StageAttr> stage, Value data) {
    bool isFromMemory = stage && stage->getFrom() != OperandSource::Register;
    return isFromMemory == static_cast<bool>(data);
  };
  if (!isConsistent(getX1(), getX1Data()) || !isConsistent(getX2(), getX2Data())) {
    return emitOpError(
        "expects a memory operand exactly for each stage that reads memory"); // [sdp.1]
  }
  if (!llvm::isInt<16>(static_cast<int64_t>(getScale())) || getShift() > 63) {
    return emitOpError("expects a 16-bit scale and a shift in [0, 63]"); // [sdp.2]
  }
  bool isOfBytes = cast<RankedTensorType>(getType()).getElementTypeBitWidth() == 8;
  auto table = getTable() ? cast<RankedTensorType>(getTable().getType()) : RankedTensorType();
  bool isTable = !table || (isOfBytes && table.getNumElements() == 257 &&
                            table.getElementType().isSignlessInteger(16));
  if (!isTable || (isOfBytes && getCurve())) { // [sdp.3]
    return emitOpError(
        "expects a table of 257 entries of i16 for int8 results, and a curve for fp16 results");
  }
  return success();
}

} // namespace convoy::nvdla
