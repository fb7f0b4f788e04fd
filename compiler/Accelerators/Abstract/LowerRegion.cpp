// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a function of convcore ops to a program. Constants come first in system memory.
// Activations follow and share bytes if their live ranges do not overlap. The commands are the
// portable layer list; the runtime's generator produces the device's own commands from it.

#include "Accelerators/Abstract/LowerRegion.h"
#include "Graph/NodeName.h"

#include "Accelerators/Abstract/LowerLayer.h"
#include "ConvCore/ConvCore.h"
#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "Memory/Planner/Planner.h"
#include "Support/TypedDiagnostic.h"
#include "abstract/isa.h"

using namespace mlir;

namespace convoy::abstract {
namespace {

constexpr int64_t kAlignment = 64;

int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * storageBytes(fromMlir(type.getElementType()));
}

class RegionLowering {
public:
  RegionLowering(func::FuncOp region, const Parameters &parameters)
      : block(region.getBody().front()), parameters(parameters) {}

  FailureOr<accelerators::Program> run() {
    if (failed(lowerOps())) {
      return failure();
    }
    placeTensors();
    addLayers();
    markChains();
    accelerators::Program program;
    program.memoryBytes = memoryBytes;
    program.image = list.constantBytes();
    list.setWorkspace(static_cast<uint32_t>(memoryBytes));
    program.commands = list.serialize(/*withConstants=*/false);
    for (Value argument : block.getArguments()) {
      program.inputs.push_back({addresses.lookup(argument), bytesOf(argument)});
    }
    for (Value result : block.getTerminator()->getOperands()) {
      program.outputs.push_back({addressOf(result), bytesOf(result)});
    }
    for (const Step &step : steps) {
      program.steps.push_back({nameOf(step.op), step.op->getName().stripDialect().str(),
                               static_cast<double>(convoy_abstract_layer_cycles(
                                   &parameters.device, &step.part.layer))});
    }
    return program;
  }

private:
  struct Step {
    Operation *op;
    LayerPart part;
    Value in, in2, out; // values that own the storage
  };

  /// Returns the value that owns the bytes of `value`; a reshape shares the bytes of its input.
  static Value storageOf(Value value) {
    while (auto reshape = value.getDefiningOp<convcore::ReshapeOp>()) {
      value = reshape.getInput();
    }
    return value;
  }

  LogicalResult lowerOps() {
    for (Operation &op : block.without_terminator()) {
      if (isa<graph::ConstantOp>(op)) {
        continue;
      }
      LoweredOp lowered = lowerOp(&op, parameters);
      if (lowered.refusal) {
        return emitUnsupported(&op, "not supported by '")
               << parameters.name << "': " << lowered.refusal->reason;
      }
      for (const LayerPart &part : lowered.parts) {
        bool hasSecond = isa<convcore::EltwiseOp>(op);
        steps.push_back({&op, part, storageOf(op.getOperand(part.operand)),
                         hasSecond ? storageOf(op.getOperand(1)) : Value(), op.getResult(0)});
      }
    }
    return success();
  }

  /// Places constants that layers read as tensors in the image, like weights.
  void placeTensors() {
    for (Step &step : steps) {
      placeConstant(step.in);
      placeConstant(step.in2);
      if (Value weights = weightsOf(step.op); weights && !weightOffsets.count(step.op)) {
        Tensor tensor = *graph::constantValue(weights);
        weightOffsets[step.op] = list.addConstants(tensor.raw(), tensor.bytes());
        if (isa<convcore::ConvOp>(step.op)) {
          tableOffsets[step.op] = list.addTable(tableOf(step.op));
        }
      }
    }
    for (Value result : block.getTerminator()->getOperands()) {
      placeConstant(storageOf(result));
    }
    planActivations();
  }

  void placeConstant(Value value) {
    if (!value || addresses.count(value)) {
      return;
    }
    if (std::optional<Tensor> tensor = graph::constantValue(value)) {
      addresses[value] = list.addConstants(tensor->raw(), tensor->bytes());
    }
  }

  void planActivations() {
    DenseMap<Value, size_t> blockOf;
    std::vector<memory::Block> blocks;
    auto touch = [&](Value value, int64_t step) {
      if (!value || addresses.count(value)) {
        return;
      }
      auto [it, isNew] = blockOf.try_emplace(value, blocks.size());
      if (isNew) {
        blocks.push_back({bytesOf(value), step, step});
      }
      blocks[it->second].last = std::max(blocks[it->second].last, step);
    };
    for (Value argument : block.getArguments()) {
      touch(argument, -1);
    }
    for (auto [index, step] : llvm::enumerate(steps)) {
      for (Value value : {step.in, step.in2, step.out}) {
        touch(value, static_cast<int64_t>(index));
      }
    }
    for (Value result : block.getTerminator()->getOperands()) {
      touch(storageOf(result), static_cast<int64_t>(steps.size()));
    }
    int64_t base = llvm::alignTo(list.constantBytes().size(), kAlignment);
    memoryBytes = base + memory::planMemory(blocks, kAlignment);
    for (auto [value, index] : blockOf) {
      addresses[value] = base + blocks[index].offset;
    }
  }

  int64_t addressOf(Value value) const { return addresses.lookup(storageOf(value)); }

  void addLayers() {
    for (const Step &step : steps) {
      Layer layer = step.part.layer;
      auto place = [&](Value value, int64_t elements, int32_t type) {
        return static_cast<int32_t>(addresses.lookup(value) +
                                    elements * convoy_abstract_type_bytes(type));
      };
      layer.in_segment = layer.in2_segment = layer.out_segment = CONVOY_ABSTRACT_WORKSPACE;
      layer.in_offset = place(step.in, step.part.inElements, layer.in_type);
      layer.out_offset = place(step.out, step.part.outElements, layer.out_type);
      layer.in2_offset = step.in2 ? place(step.in2, 0, layer.in2_type) : 0;
      layer.weight_offset = weightOffsets.lookup(step.op);
      layer.table_offset = tableOffsets.lookup(step.op);
      list.addLayer(layer, nameOf(step.op));
    }
  }

  /// Marks outputs that may stay in local memory: one layer writes the value and only the next
  /// layer reads it, as its first input.
  void markChains() {
    DenseMap<Value, int> uses;
    for (const Step &step : steps) {
      ++uses[step.in];
      ++uses[step.out];
      if (step.in2) {
        ++uses[step.in2];
      }
    }
    for (Value result : block.getTerminator()->getOperands()) {
      ++uses[storageOf(result)];
    }
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      Layer &layer = list.allLayers()[i];
      const Layer &next = list.allLayers()[i + 1];
      bool isWhole = layer.out_offset == next.in_offset && layer.out_type == next.in_type &&
                     int64_t{layer.out_c} * layer.out_h * layer.out_w ==
                         int64_t{next.in_c} * next.in_h * next.in_w;
      layer.chains = steps[i].out == steps[i + 1].in && uses[steps[i].out] == 2 && isWhole;
    }
  }

  /// Returns the name of the first ONNX node of the op.
  static std::string nameOf(Operation *op) {
    StringRef name = graph::firstName(op->getLoc());
    return name.empty() ? op->getName().stripDialect().str() : name.str();
  }

  mlir::Block &block;
  const Parameters &parameters;
  LayerList list;
  std::vector<Step> steps;
  DenseMap<Value, int64_t> addresses;
  DenseMap<Operation *, int32_t> weightOffsets;
  DenseMap<Operation *, int32_t> tableOffsets;
  int64_t memoryBytes = 0;
};

} // namespace

FailureOr<accelerators::Program> lowerRegion(func::FuncOp region, const Parameters &parameters) {
  return RegionLowering(region, parameters).run();
}

} // namespace convoy::abstract
