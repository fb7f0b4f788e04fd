// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers kernels that call a C function of the user:
//
//     task.kernel @custom_0(%x, %y, %status, %scratch, %begin, %end) {range = 1, may_fail}
//       task.call_custom "upsample" (%x) to (%y, results that nothing reads) status %status
//
// Results that nothing reads are in the scratch memory, because the function writes all results.

#include "Kernels/Loops/CustomCall.h"
#include "Graph/Constant.h"
#include "Kernels/Kernel.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Passes.h"
#include "Task/Custom.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

// Alignment of a result in the scratch memory, which is aligned like tensors.
constexpr int64_t kAlignmentBytes = 64;

// Bounds estimates, which task.call_custom stores as integers.
constexpr double kMaxCycles = 1e15;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

int64_t bytesOf(Value value) {
  return typeOf(value).getNumElements() * storageBytes(fromMlir(typeOf(value).getElementType()));
}

/// Returns the bytes of a result in the scratch memory. An empty result has an address, too.
int64_t reservedBytesOf(Value value) {
  int64_t bytes = std::max<int64_t>(bytesOf(value), 1);
  return static_cast<int64_t>(llvm::alignTo(bytes, kAlignmentBytes));
}

int64_t scratchBytesOf(graph::CustomOp op) {
  int64_t bytes = 0;
  for (Value value : op.getValues()) {
    bytes += value.use_empty() ? reservedBytesOf(value) : 0;
  }
  return bytes;
}

/// Stores a constant of one element in the frame of the kernel.
Value constantMemory(KernelFunction &function, const Tensor &tensor) {
  ImplicitLocOpBuilder &b = function.b;
  Type storage = storageType(tensor.type(), b.getContext());
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.raw(), static_cast<size_t>(tensor.bytes()));
  APInt raw(static_cast<unsigned>(tensor.bytes() * 8), bits);
  auto number = dyn_cast<FloatType>(storage);
  TypedAttr value =
      number ? TypedAttr(b.getFloatAttr(number, APFloat(number.getFloatSemantics(), raw)))
             : TypedAttr(b.getIntegerAttr(storage, raw));
  Value memory = b.create<memref::AllocaOp>(MemRefType::get({1}, storage));
  Value zero = b.create<arith::ConstantIndexOp>(0);
  b.create<memref::StoreOp>(b.create<arith::ConstantOp>(value), memory, ValueRange{zero});
  return memory;
}

/// Returns the memory of an input, or null if it is neither an operand nor a constant of one
/// element.
Value inputMemory(KernelFunction &function, Value input) {
  if (isa<BlockArgument>(input)) {
    return function.operand(input);
  }
  std::optional<Tensor> tensor = graph::constantValue(input);
  return tensor && tensor->size() == 1 ? constantMemory(function, *tensor) : Value();
}

/// Returns the memory of all results. `yielded` are the results that the kernel returns.
SmallVector<Value> resultMemory(KernelFunction &function, graph::CustomOp op, ValueRange yielded) {
  SmallVector<Value> memory;
  int64_t offset = 0;
  for (Value value : op.getValues()) {
    if (!value.use_empty()) {
      auto place = llvm::find(yielded, value);
      memory.push_back(function.result(static_cast<unsigned>(place - yielded.begin())));
      continue;
    }
    Value begin = function.b.create<arith::ConstantIndexOp>(offset);
    memory.push_back(function.b.create<memref::ViewOp>(memoryType(value.getType()),
                                                       function.scratch(), begin, ValueRange()));
    offset += reservedBytesOf(value);
  }
  return memory;
}

/// Returns whether the kernel consists of the op and constants, and returns each result once.
bool isAlone(graph::CustomOp op, Block &body) {
  bool hasOthers = llvm::any_of(body.without_terminator(), [&](Operation &other) {
    return &other != op && !isa<graph::ConstantOp>(other);
  });
  return !hasOthers && llvm::all_of(body.getTerminator()->getOperands(), [&](Value value) {
    return value.getDefiningOp() == op && value.hasOneUse();
  });
}

} // namespace

graph::CustomOp customOpIn(Block &body) {
  auto ops = body.getOps<graph::CustomOp>();
  return ops.empty() ? graph::CustomOp() : *ops.begin();
}

LogicalResult lowerCustomCall(task::KernelOp kernel, graph::CustomOp op) {
  Block &body = kernel.getBody().front();
  if (!isAlone(op, body)) {
    return op.emitOpError("is in a kernel with other ops, expected a kernel of its own");
  }
  KernelFunction function = KernelFunction::thatMayFail(kernel, scratchBytesOf(op));
  ImplicitLocOpBuilder &b = function.b;
  SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    inputs.push_back(inputMemory(function, input));
  }
  if (llvm::is_contained(inputs, Value())) {
    return op.emitOpError("has an input that is neither an operand of the kernel nor a constant of "
                          "one element");
  }
  SmallVector<Attribute> shapes;
  SmallVector<int32_t> types;
  for (ValueRange tensors : {ValueRange(op.getInputs()), ValueRange(op.getValues())}) {
    for (Value tensor : tensors) {
      shapes.push_back(b.getDenseI64ArrayAttr(typeOf(tensor).getShape()));
      types.push_back(static_cast<int32_t>(fromMlir(typeOf(tensor).getElementType())));
    }
  }
  SmallVector<Value> outputs = resultMemory(function, op, body.getTerminator()->getOperands());
  b.create<task::CallCustomOp>(op.getFunction(), inputs, outputs, function.status(),
                               b.getArrayAttr(shapes), types, op.getParameterValues(),
                               static_cast<int64_t>(customCallCycles(op)));
  function.finish(/*range=*/1);
  return success();
}

double customCallCycles(graph::CustomOp op) {
  double elements = 0;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op.getInputs()),
                                         SmallVector<Value>(op.getValues()))) {
    elements += static_cast<double>(typeOf(value).getNumElements());
  }
  std::optional<int64_t> operations = graph::operationsOf(op);
  return std::min(operations ? static_cast<double>(*operations) : elements, kMaxCycles);
}

} // namespace convoy::kernels
