// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates the generic loops from what they emit: vector operations of ops, and reads of operands.
// The model follows the lanes from the results back to the operands. A read whose lanes are not
// adjacent in memory is a gather, and a read beyond the edges of its operand has a mask:
//
//     result lanes along the last dimension        x[.., w]       adjacent
//     convolution with stride 2                    x[.., 2 w]     gathered
//     convolution with padding                     x[.., w - 1]   masked
//     transpose                                    x[w, ..]       gathered
//     scale per channel                            s[c]           one scalar for all lanes

#include "Kernels/Loops/LoopsModel.h"
#include "Graph/Constant.h"
#include "Graph/OpFacts.h"
#include "Kernels/Loops/CustomCall.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Cycles per vector operation where lanes run along a row, with unaligned loads.
constexpr double kWindowCycles = 2;
/// Cycles per lane of a gather.
constexpr double kGatherCycles = 1.5;
/// Cycles per vector for the mask of a read at the edges, whose positions are compared as 64-bit
/// numbers.
constexpr double kMaskCycles = 5;
/// Vector operations of the power function in LRN.
constexpr double kRootWork = 25;
/// Vector operations per multiplication of a generic product.
constexpr double kGenericProductWork = 1.5;
/// The estimate of a kernel that computes a loop again and again. It exceeds that of every
/// template.
constexpr double kRepeatedLoopCycles = 1e15;
/// Cycles per vector multiplication of a generic convolution: each adds to the same register.
constexpr double kGenericConvCycles = 5;

/// Instructions per multiplication or element-wise operation of plain loops in emitted C, measured
/// with gcc on a Cortex-M55 and a Cortex-M4. Such loops have no vectors.
constexpr double kPlainInstructions = 10;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

double elementsOf(Value value) {
  return static_cast<double>(std::max<int64_t>(typeOf(value).getNumElements(), 1));
}

/// Returns the number of vector operations per element of the op's result.
double workOf(Operation &op) {
  auto tapsOf = [](ArrayRef<int64_t> kernel) { return static_cast<double>(*elementCount(kernel)); };
  if (auto pool = dyn_cast<graph::MaxPoolOp>(op)) {
    return tapsOf(pool.getKernel());
  }
  if (auto pool = dyn_cast<graph::IntegerSumPoolOp>(op)) {
    return tapsOf(pool.getKernel());
  }
  if (auto pool = dyn_cast<graph::AveragePoolOp>(op)) {
    return tapsOf(pool.getKernel());
  }
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    return static_cast<double>(typeOf(reduce.getInput()).getNumElements()) /
           elementsOf(reduce.getResult());
  }
  if (auto conv = dyn_cast<graph::IntegerConvOp>(op)) {
    // Of 16 bits; the caller estimates convolutions of floats and bytes.
    return kGenericProductWork * tapsOf(typeOf(conv.getWeight()).getShape().drop_front());
  }
  if (isa<graph::MatMulOp, graph::IntegerMatMulOp, graph::ByteMatMulOp>(op)) {
    return kGenericProductWork * static_cast<double>(typeOf(op.getOperand(0)).getShape().back());
  }
  if (auto lrn = dyn_cast<graph::LRNOp>(op)) {
    return static_cast<double>(lrn.getSize()) + kRootWork;
  }
  return isa<graph::ConstantOp>(op) ? 0 : 1;
}

/// How the lanes of a vector read a value.
struct Reading {
  double elements = 0; // lanes that read, over the whole kernel
  int64_t lane = -1;   // the dimension along which lanes run; -1: all lanes read one element
  bool isGathered = false;
  bool isMasked = false;
};

/// Returns the dimension along which the generic loops run their lanes, or -1.
int64_t laneOf(Value value) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  int64_t lane = static_cast<int64_t>(shape.size()) - 1;
  while (lane >= 0 && shape[lane] == 1) {
    --lane;
  }
  return lane;
}

SmallVector<int64_t> intsOf(Value value) {
  std::optional<Tensor> tensor = value ? graph::constantValue(value) : std::nullopt;
  return tensor ? SmallVector<int64_t>(tensor->ints()) : SmallVector<int64_t>();
}

/// Reads of a window: `strides` and `pads` are those of the spatial dimensions.
Reading readWindow(Reading r, ArrayRef<int64_t> strides, ArrayRef<int64_t> pads) {
  int64_t dim = r.lane - 2;
  if (dim >= 0) {
    r.isGathered |= strides[dim] != 1;
    r.isMasked |= pads[dim] != 0 || pads[strides.size() + dim] != 0;
  }
  return r;
}

template <typename ConvT>
Reading readConv(ConvT conv, unsigned operand, Reading r) {
  if (operand > 1) { // the bias, once per result
    r.lane = r.lane == 1 ? 0 : -1;
    return r;
  }
  r.elements *=
      static_cast<double>(*elementCount(typeOf(conv.getWeight()).getShape().drop_front()));
  if (operand == 1) {
    r.lane = r.lane == 1 ? 0 : -1;
    return r;
  }
  r.lane = r.lane == 1 && conv.getGroups() == 1 ? -1 : r.lane;
  return readWindow(r, conv.getStrides(), conv.getPads());
}

/// A product of matrices: rows of the first operand, columns of the second.
Reading readProduct(Operation *op, unsigned operand, Reading r) {
  int64_t rank = typeOf(op->getResult(0)).getRank();
  int64_t own = typeOf(op->getOperand(operand)).getRank();
  r.elements *= static_cast<double>(typeOf(op->getOperand(0)).getShape().back());
  bool isColumn = r.lane == rank - 1;
  int64_t lane = r.lane - rank + own;
  r.lane = isColumn == (operand == 1) && lane >= 0 ? lane : -1;
  return r;
}

Reading readReduce(graph::ReduceOp op, Reading r) {
  RankedTensorType input = typeOf(op.getInput());
  SmallVector<bool> isReduced(input.getRank(), !op.getAxes());
  for (int64_t axis : intsOf(op.getAxes())) {
    isReduced[axis < 0 ? axis + input.getRank() : axis] = true;
  }
  r.elements *= static_cast<double>(input.getNumElements()) / elementsOf(op.getResult());
  int64_t kept = 0;
  for (int64_t dim = 0; dim < input.getRank() && r.lane >= 0; ++dim) {
    bool counts = op.getKeepDims() || !isReduced[dim];
    if (counts && kept++ == r.lane) {
      r.lane = dim;
      break;
    }
  }
  return r;
}

Reading readGather(graph::GatherOp op, unsigned operand, Reading r) {
  int64_t axis = op.getAxis();
  int64_t indexRank = typeOf(op.getIndices()).getRank();
  bool isAlong = r.lane >= axis && r.lane < axis + indexRank;
  if (operand == 1) {
    r.lane = isAlong ? r.lane - axis : -1;
    return r;
  }
  r.isGathered |= isAlong;
  r.lane = isAlong ? axis : r.lane < axis ? r.lane : r.lane - indexRank + 1;
  return r;
}

Reading readSlice(graph::SliceOp op, Reading r) {
  SmallVector<int64_t> axes = intsOf(op.getAxes()), steps = intsOf(op.getSteps());
  for (auto [i, step] : llvm::enumerate(steps)) {
    int64_t axis = i < axes.size() ? axes[i] : static_cast<int64_t>(i);
    axis += axis < 0 ? typeOf(op.getInput()).getRank() : 0;
    r.isGathered |= axis == r.lane && step != 1;
  }
  return r;
}

Reading readPad(graph::PadOp op, unsigned operand, Reading r) {
  if (operand > 0) {
    return Reading{r.elements, -1};
  }
  SmallVector<int64_t> pads = intsOf(op.getPads()), axes = intsOf(op.getAxes());
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    int64_t axis = i < axes.size() ? axes[i] : static_cast<int64_t>(i);
    axis += axis < 0 ? typeOf(op.getInput()).getRank() : 0;
    bool isPadded = pads[i] != 0 || pads[pads.size() / 2 + i] != 0;
    if (isPadded && axis == r.lane) {
      (op.getMode() == graph::PadMode::Constant ? r.isMasked : r.isGathered) = true;
    }
  }
  return r;
}

/// A reshape keeps the order of elements. Lanes that span several rows of the operand are gathered,
/// because a kernel has a reshape only between moves of its dimensions.
Reading readReshape(graph::ReshapeOp op, Reading r) {
  RankedTensorType input = typeOf(op.getInput());
  int64_t lane = laneOf(op.getInput());
  r.isGathered |= r.lane >= 0 && lane >= 0 &&
                  input.getDimSize(lane) < typeOf(op.getResult()).getDimSize(r.lane);
  r.lane = r.lane < 0 ? -1 : lane;
  return r;
}

/// An operand that broadcasts to the result.
Reading readBroadcast(Operation *op, unsigned operand, Reading r) {
  RankedTensorType own = typeOf(op->getOperand(operand));
  int64_t lane = r.lane - typeOf(op->getResult(0)).getRank() + own.getRank();
  r.lane = lane >= 0 && lane < own.getRank() && own.getDimSize(lane) != 1 ? lane : -1;
  return r;
}

/// Returns how an op reads an operand if its result is read as `r`.
Reading readingOf(Operation *op, unsigned operand, const Reading &r) {
  if (auto conv = dyn_cast<graph::ConvOp>(op)) {
    return readConv(conv, operand, r);
  }
  if (auto conv = dyn_cast<graph::IntegerConvOp>(op)) {
    return readConv(conv, operand, r);
  }
  auto pooled = [&](auto pool) {
    Reading window = readWindow(r, pool.getStrides(), pool.getPads());
    window.elements *= static_cast<double>(*elementCount(pool.getKernel()));
    return window;
  };
  if (auto pool = dyn_cast<graph::MaxPoolOp>(op)) {
    return pooled(pool);
  }
  if (auto pool = dyn_cast<graph::AveragePoolOp>(op)) {
    return pooled(pool);
  }
  if (isa<graph::MatMulOp, graph::IntegerMatMulOp, graph::ByteMatMulOp>(op) && operand < 2) {
    return readProduct(op, operand, r);
  }
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    return operand == 0 ? readReduce(reduce, r) : Reading();
  }
  if (auto gather = dyn_cast<graph::GatherOp>(op)) {
    return readGather(gather, operand, r);
  }
  if (auto slice = dyn_cast<graph::SliceOp>(op)) {
    return operand == 0 ? readSlice(slice, r) : Reading();
  }
  if (auto pad = dyn_cast<graph::PadOp>(op)) {
    return readPad(pad, operand, r);
  }
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
    return readReshape(reshape, r);
  }
  if (auto transpose = dyn_cast<graph::TransposeOp>(op)) {
    Reading own = r;
    own.lane = r.lane < 0 ? -1 : transpose.getPerm()[r.lane];
    return own;
  }
  if (graph::classify(op) == graph::OpClass::Elementwise || isa<graph::ExpandOp>(op)) {
    return readBroadcast(op, operand, r);
  }
  Reading own = r;
  own.lane = r.lane < 0 ? -1 : laneOf(op->getOperand(operand));
  return own;
}

/// The estimated time of a kernel per part, in cycles per lane of a full vector.
class LoopsModel {
public:
  LoopsModel(graph::KernelOp kernel, const Machine &machine)
      : body(kernel.getBody().front()), machine(machine) {
    for (Value result : body.getTerminator()->getOperands()) {
      Reading &reading = readings[result];
      reading.elements = elementsOf(result);
      reading.lane = laneOf(result);
      chooseLanes(result);
    }
    for (Operation &op : llvm::reverse(body.without_terminator())) {
      add(op);
    }
  }

  /// Returns the cycles of the reads that are not simple loads.
  double readCycles() const { return reads * waste; }

  /// Returns the vector operations of all ops except a convolution or product of `conv`.
  double workCycles(Operation *conv) const {
    double cycles = 0;
    for (Operation &op : body.without_terminator()) {
      auto it = op.getNumResults() == 0 ? readings.end() : readings.find(op.getResult(0));
      if (it != readings.end() && &op != conv) {
        cycles += workOf(op) * it->second.elements / static_cast<double>(lanes);
      }
    }
    return cycles * kWindowCycles * waste;
  }

  double vectorsOf(double elements) const { return elements / static_cast<double>(lanes) * waste; }

private:
  /// Sets the lanes of a vector, and the vectors of a row relative to full ones. The last vector of
  /// a row overlaps its predecessor. Element-wise kernels join rows.
  void chooseLanes(Value result) {
    lanes = machine.lanes();
    waste = 1;
    int64_t lane = laneOf(result);
    bool joinsRows = llvm::all_of(body.without_terminator(),
                                  [](Operation &op) { return graph::collapsesDimensions(&op); });
    if (lane < 0 || joinsRows) {
      return;
    }
    int64_t row = std::max<int64_t>(typeOf(result).getDimSize(lane), 1);
    lanes = std::min(lanes, static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(row))));
    waste = static_cast<double>(llvm::divideCeil(row, lanes) * lanes) / static_cast<double>(row);
  }

  void add(Operation &op) {
    for (Value result : op.getResults()) {
      auto it = readings.find(result);
      if (it == readings.end()) {
        continue;
      }
      Reading own = it->second;
      for (OpOperand &operand : op.getOpOperands()) {
        if (!graph::isStaticOperand(operand) && isa<RankedTensorType>(operand.get().getType())) {
          read(operand.get(), readingOf(&op, operand.getOperandNumber(), own));
        }
      }
    }
  }

  void read(Value value, const Reading &reading) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &body) {
      reads += reading.elements * cyclesPerLane(value, reading);
      return;
    }
    Reading &known = readings[value];
    known.isGathered |= reading.isGathered;
    known.isMasked |= reading.isMasked;
    if (reading.elements >= known.elements) {
      known.elements = reading.elements;
      known.lane = reading.lane;
    }
  }

  double cyclesPerLane(Value value, const Reading &reading) const {
    if (reading.lane < 0 || lanes == 1) {
      return 0;
    }
    double cycles = reading.isMasked ? kMaskCycles / static_cast<double>(lanes) : 0;
    ArrayRef<int64_t> shape = typeOf(value).getShape();
    bool isAdjacent = *elementCount(shape.drop_front(reading.lane + 1)) == 1;
    return reading.isGathered || !isAdjacent ? cycles + kGatherCycles : cycles;
  }

  Block &body;
  const Machine &machine;
  int64_t lanes = 1;
  double waste = 1;
  double reads = 0;
  llvm::DenseMap<Value, Reading> readings;
};

/// Returns whether the generic loops compute an inner loop several times: once for each element
/// that reads its result.
bool repeatsLoop(graph::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  if (graph::loopCount(body) > 1) {
    return true;
  }
  int64_t most = 0;
  for (Value result : kernel.getResults()) {
    most = std::max(most, typeOf(result).getNumElements());
  }
  return llvm::any_of(body.getOps<graph::ReduceOp>(), [&](graph::ReduceOp reduce) {
    return typeOf(reduce.getResult()).getNumElements() < most;
  });
}

/// Returns the estimate for microcontrollers, whose plain loops cost the same for every access.
double plainCycles(graph::KernelOp kernel, const std::optional<ConvKernel> &conv) {
  if (conv) {
    return kPlainInstructions * static_cast<double>(conv->problem.multiplications());
  }
  double elements = 0;
  for (Value result : kernel.getResults()) {
    elements += static_cast<double>(typeOf(result).getNumElements());
  }
  return kPlainInstructions * workPerElement(kernel) * elements;
}

} // namespace

double workPerElement(graph::KernelOp kernel) {
  double work = 0;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    work += workOf(op);
  }
  return work;
}

double planarCycles(graph::KernelOp kernel, const std::optional<ConvKernel> &conv,
                    const Machine &machine) {
  if (graph::CustomOp custom = customOpIn(kernel.getBody().front())) {
    return customCallCycles(custom);
  }
  if (!conv && repeatsLoop(kernel)) {
    return kRepeatedLoopCycles;
  }
  if (machine.hasByteOps) {
    return plainCycles(kernel, conv);
  }
  LoopsModel model(kernel, machine);
  double cycles = model.workCycles(conv ? conv->op : nullptr) + model.readCycles();
  if (conv) {
    cycles +=
        kGenericConvCycles * model.vectorsOf(static_cast<double>(conv->problem.multiplications()));
  }
  return cycles;
}

} // namespace convoy::kernels
