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

LogicalResult ContractOp::verify() { // [contract.1]
  auto from = cast<RankedTensorType>(getInput().getType());
  auto to = cast<RankedTensorType>(getType());
  ArrayRef<int64_t> strides = getStrides();
  auto isStride = [](int64_t stride) { return stride >= 1 && stride <= 32; };
  auto sizeOf = [](RankedTensorType type, int64_t i) {
    return i < type.getRank() ? type.getDimSize(i) : 1;
  };
  bool isGrid = strides.size() == 2 && llvm::all_of(strides, isStride) && from.getRank() >= 2 &&
                to.getRank() >= 2 && sizeOf(to, 2) == sizeOf(from, 2) * strides[0] &&
                sizeOf(to, 3) == sizeOf(from, 3) * strides[1];
  int64_t blocks = isGrid ? strides[0] * strides[1] : 1;
  if (!isGrid || from.getDimSize(1) % blocks != 0 ||
      from.getDimSize(1) / blocks < to.getDimSize(1)) {
    return emitOpError("expects one block of the result's channels per pixel of the grid, got ")
           << from << " and " << to;
  }
  return success();
}

/// Verifies [split.1], [split.2] or [merge.1], [merge.2].
template <typename OpT>
static LogicalResult verifyPlanes(OpT op, Value cube, Value planes) {
  constexpr int64_t kAlignment = 64; // of planes and lines in bytes
  auto vector = cast<RankedTensorType>(planes.getType());
  auto type = cast<RankedTensorType>(cube.getType());
  auto channels = static_cast<int64_t>(op.getChannels());
  auto planeStep = static_cast<int64_t>(op.getPlaneStep());
  auto lineStep = static_cast<int64_t>(op.getLineStep());
  int64_t height = type.getRank() > 2 ? type.getDimSize(2) : 1;
  int64_t width = type.getRank() > 3 ? type.getDimSize(3) : 1;
  int64_t end = (channels - 1) * planeStep + (height - 1) * lineStep + width;
  auto jobs = static_cast<int64_t>(op.getOffsets().size());
  bool isInside = vector.getRank() == 1 && type.getRank() >= 2 && channels > 0 && planeStep > 0 &&
                  lineStep > 0 && jobs * channels == type.getDimSize(1) &&
                  llvm::all_of(op.getOffsets(), [&](int64_t offset) {
                    return offset >= 0 && offset + end <= vector.getNumElements();
                  });
  if (!isInside) {
    return op.emitOpError("expects jobs that move all channels of ")
           << type << " from or to places inside of " << vector;
  }
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  auto isAligned = [&](int64_t elements) { return elements * bytes % kAlignment == 0; };
  if (!isAligned(planeStep) || !isAligned(lineStep) || !llvm::all_of(op.getOffsets(), isAligned)) {
    return op.emitOpError("expects offsets and steps of a multiple of 64 bytes");
  }
  return success();
}

LogicalResult TurnOp::verify() { // [turn.1]
  auto first = cast<RankedTensorType>(getToLast() ? getInput().getType() : getType());
  auto last = cast<RankedTensorType>(getToLast() ? getType() : getInput().getType());
  bool isTurned = first.getRank() == 4 && last.getRank() == 4;
  for (int64_t i = 1; isTurned && i < 4; ++i) {
    isTurned = last.getDimSize(i == 1 ? 3 : i - 1) == first.getDimSize(i);
  }
  return isTurned ? success()
                  : emitOpError("expects channels first and channels last, got ")
                        << first << " and " << last;
}

LogicalResult SplitOp::verify() { return verifyPlanes(*this, getInput(), getResult()); }

LogicalResult MergeOp::verify() { return verifyPlanes(*this, getResult(), getInput()); }

} // namespace convoy::nvdla
