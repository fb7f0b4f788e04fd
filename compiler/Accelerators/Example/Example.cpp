// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A minimal device: convolution, element-wise sums and products, pools and copies of f32 or f16.
// docs/howto/add-accelerator.md explains this file step by step.

#include "Accelerators/Example/Commands.h"
#include "Accelerators/RegionMemory.h"
#include "Accelerators/Registry.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Graph.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>
#include <limits>

using namespace mlir;

namespace convoy::accelerators {
namespace example {
namespace {

// Step 1: the capability table, which placement, the shared rewrites and the documentation use.
Capabilities tableOf(ElementType type) {
  return Capabilities({
      {"conv",
       {type},
       {{Quantity::KernelHeight, 7},
        {Quantity::KernelWidth, 7},
        {Quantity::StrideHeight, 4},
        {Quantity::StrideWidth, 4},
        {Quantity::DilationHeight, 1},
        {Quantity::DilationWidth, 1},
        {Quantity::Pad, 3},
        {Quantity::Groups, 1}},
       "with bias and relu or clip"},
      {"eltwise", {type}, {}, "add and mul of equal shapes, with relu or clip"},
      {"pool",
       {type},
       {{Quantity::KernelHeight, 4}, {Quantity::KernelWidth, 4}, {Quantity::Pad, 2}},
       "max and average"},
      {"concat", {type}, {{Quantity::Batch, 1}, {Quantity::Inputs, 8}}, "of channels"},
      {"slice", {type}, {{Quantity::Batch, 1}}, "of channels"},
      {"reshape", {type}, {}},
  });
}

int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

int64_t bytesOf(Value value) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  return elementsOf(value) * storageBytes(fromMlir(element));
}

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

int32_t word(int64_t value) { return static_cast<int32_t>(value); }

/// Step 3: lowers layers to commands in the order of the ops, because the device has one unit.
class Lowering {
public:
  Lowering(func::FuncOp function, RegionMemory memory)
      : block(function.getBody().front()), memory(std::move(memory)) {}

  Program run() {
    for (Operation &op : block.without_terminator()) {
      llvm::TypeSwitch<Operation *>(&op)
          .Case<convcore::ConvOp, convcore::PoolOp, convcore::EltwiseOp, convcore::ConcatOp,
                convcore::SliceOp, convcore::ReshapeOp>([&](auto layer) { emit(layer); });
    }
    for (Value argument : block.getArguments()) {
      program.inputs.push_back(memory.ranges.lookup(argument));
    }
    for (Value result : block.getTerminator()->getOperands()) {
      program.outputs.push_back(memory.ranges.lookup(result));
    }
    program.image = std::move(memory.image);
    program.memoryBytes = memory.bytes;
    return std::move(program);
  }

private:
  int32_t at(Value value) const { return word(memory.addressOf(value)); }

  template <typename Words>
  void append(Words words, Code code) {
    words.length = sizeof(Words) / sizeof(int32_t);
    words.code = code;
    const auto *bytes = reinterpret_cast<const uint8_t *>(&words);
    program.commands.insert(program.commands.end(), bytes, bytes + sizeof(Words));
  }

  static ClampWords clampOf(std::optional<convcore::ActAttr> activation) {
    constexpr float kNone = std::numeric_limits<float>::infinity();
    bool isClip = activation && activation->getKind() == convcore::ActKind::Clip;
    return {activation ? static_cast<float>(activation->lowValue()) : -kNone, // 0 for a relu
            isClip ? static_cast<float>(activation->highValue()) : kNone};
  }

  static WindowWords windowOf(Value input, Value result, ArrayRef<int64_t> kernel,
                              ArrayRef<int64_t> strides, ArrayRef<int64_t> pads) {
    WindowWords words = {};
    int32_t *next = &words.batch;
    auto add = [&](ArrayRef<int64_t> sizes) {
      next = std::transform(sizes.begin(), sizes.end(), next, word);
    };
    add(shapeOf(input));
    add(shapeOf(result).slice(1, 1));
    add(kernel);
    add(strides);
    add(pads.take_front(2));
    add(shapeOf(result).drop_front(2));
    return words;
  }

  void emit(convcore::ConvOp op) {
    ConvWords words = {};
    words.input = at(op.getInput());
    words.weight = at(op.getWeight());
    words.bias = op.getBias() ? at(op.getBias()) : -1;
    words.result = at(op);
    words.window = windowOf(op.getInput(), op, shapeOf(op.getWeight()).drop_front(2),
                            op.getStrides(), op.getPads());
    words.clamp = clampOf(op.getActivation());
    append(words, kConv);
  }

  void emit(convcore::PoolOp op) {
    PoolWords words = {};
    words.input = at(op.getInput());
    words.result = at(op);
    words.window = windowOf(op.getInput(), op, op.getKernel(), op.getStrides(), op.getPads());
    words.isMean = op.getKind() == convcore::PoolKind::Average;
    words.countsPadding = op.getCountIncludePad();
    append(words, kPool);
  }

  void emit(convcore::EltwiseOp op) {
    EltwiseWords words = {};
    words.lhs = at(op.getLhs());
    words.rhs = at(op.getRhs());
    words.result = at(op);
    words.elements = word(elementsOf(op));
    words.isProduct = op.getKind() == convcore::EltwiseKind::Mul;
    words.clamp = clampOf(op.getActivation());
    append(words, kEltwise);
  }

  void emitCopy(int64_t from, int64_t to, int64_t bytes) {
    append(CopyWords{0, 0, word(from), word(to), word(bytes)}, kCopy);
  }

  void emit(convcore::ConcatOp op) {
    int64_t to = at(op);
    for (Value input : op.getInputs()) {
      emitCopy(at(input), to, bytesOf(input));
      to += bytesOf(input);
    }
  }

  void emit(convcore::SliceOp op) {
    int64_t channelBytes = bytesOf(op) / std::max<int64_t>(op.getSizes()[1], 1);
    emitCopy(at(op.getInput()) + op.getOffsets()[1] * channelBytes, at(op), bytesOf(op));
  }

  void emit(convcore::ReshapeOp op) { emitCopy(at(op.getInput()), at(op), bytesOf(op)); }

  mlir::Block &block;
  RegionMemory memory;
  Program program;
};

class Example : public Accelerator {
public:
  Example(llvm::StringRef target, ElementType type)
      : target(target), type(type), table(tableOf(type)) {}

  llvm::StringRef name() const override { return target; }
  llvm::StringRef summary() const override { return "minimal device, a template for new ones"; }
  const Capabilities &capabilities() const override { return table; }
  ElementType floatType() const override { return type; }

  // Step 2: conditions that the table cannot express.
  std::optional<Refusal> refuse(Operation *op) const override {
    auto no = [](const char *reason) { return Refusal{reason, "", std::nullopt}; };
    auto activation = op->getAttrOfType<convcore::ActAttr>("activation");
    if (activation && activation.getKind() != convcore::ActKind::Relu &&
        activation.getKind() != convcore::ActKind::Clip) {
      return no("the device supports only the activations relu and clip");
    }
    auto eltwise = dyn_cast<convcore::EltwiseOp>(op);
    bool isSumOrProduct = eltwise && (eltwise.getKind() == convcore::EltwiseKind::Add ||
                                      eltwise.getKind() == convcore::EltwiseKind::Mul);
    if (eltwise && !(isSumOrProduct && eltwise.getLhs().getType() == eltwise.getRhs().getType())) {
      return no("the device supports eltwise only as add and mul of two tensors of the same shape");
    }
    auto pool = dyn_cast<convcore::PoolOp>(op);
    if (pool && pool.getKind() == convcore::PoolKind::Min) {
      return no("the device does not support min pooling");
    }
    auto concat = dyn_cast<convcore::ConcatOp>(op);
    if (concat && concat.getAxis() != 1) {
      return no("the device supports concat only along channels");
    }
    auto slice = dyn_cast<convcore::SliceOp>(op);
    if (slice && slice.getSizes().drop_front(2) != shapeOf(slice.getInput()).drop_front(2)) {
      return no("the device supports slice only along channels");
    }
    return std::nullopt;
  }

  llvm::ArrayRef<memory::Space> memories() const override {
    static const memory::Space kDram{"dram", int64_t(1) << 30, 64};
    return kDram;
  }

  FailureOr<Program> lower(func::FuncOp region, const DependenceGraph &) const override {
    FailureOr<RegionMemory> memory = planRegion(region, memories().front(), bytesOf);
    return failed(memory) ? FailureOr<Program>(failure()) : Lowering(region, *memory).run();
  }

  // Step 4: the cost estimate, 64 products or 16 bytes per nanosecond.
  Cost estimate(Operation *op) const override {
    if (isa<graph::ConstantOp>(op)) {
      return {};
    }
    auto elements = static_cast<double>(elementsOf(op->getResult(0)));
    double products = 0;
    if (auto conv = dyn_cast<convcore::ConvOp>(op)) {
      ArrayRef<int64_t> weight = shapeOf(conv.getWeight());
      products = elements * static_cast<double>(weight[1] * weight[2] * weight[3]);
    }
    return {std::max(products / 64, elements * static_cast<double>(storageBytes(type)) / 16)};
  }

  std::unique_ptr<Simulator> simulator() const override { return createSimulator(type); }

private:
  std::string target;
  ElementType type;
  Capabilities table;
};

} // namespace
} // namespace example

const Family &exampleFamily();
const Family &exampleFamily() {
  static const Family kFamily = {
      [] { return std::vector<std::string>{"example"}; },
      [](llvm::StringRef target) -> llvm::Expected<std::unique_ptr<Accelerator>> {
        bool isHalf = target == "example:type=float16";
        ElementType type = isHalf ? ElementType::F16 : ElementType::F32;
        bool isExample = isHalf || target == "example";
        return isExample ? std::make_unique<example::Example>(target, type) : nullptr;
      }};
  return kFamily;
}

} // namespace convoy::accelerators
