// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers graph ops to convcore layers in order, then fuses the layers and maps them to the device.

#include "Accelerators/LayerFunction.h"
#include "Accelerators/Rewrites.h"
#include "ConvCore/FromGraph.h"
#include "Graph/Graph.h"

using namespace mlir;

namespace convoy::accelerators {

LayerFunction::LayerFunction(ModuleOp module, Location loc, llvm::StringRef name)
    : builder(OpBuilder::atBlockEnd(module.getBody())) {
  function = builder.create<func::FuncOp>(loc, name, builder.getFunctionType({}, {}));
  function.setPrivate();
  builder.setInsertionPointToEnd(function.addEntryBlock());
}

// An argument has the location of the function: a device names its copies of an argument by it.
void LayerFunction::addArgument(Value value) {
  mapping.map(value, function.getBody().front().addArgument(value.getType(), function.getLoc()));
}

std::string LayerFunction::add(Operation *op, int64_t number) {
  for (Value operand : op->getOperands()) {
    if (!mapping.contains(operand) && !operand.getDefiningOp<graph::ConstantOp>()) {
      addArgument(operand);
    }
  }
  return convcore::lowerFromGraph(op, number, mapping, builder);
}

func::FuncOp LayerFunction::finish(ValueRange results, const Accelerator &device) {
  SmallVector<Value> returned;
  for (Value value : results) {
    returned.push_back(mapping.lookup(value));
  }
  builder.create<func::ReturnOp>(function.getLoc(), returned);
  function.setType(builder.getFunctionType(function.getBody().front().getArgumentTypes(),
                                           ValueRange(returned).getTypes()));
  fuseLayers(function, device);
  mapLayers(function, device);
  return function;
}

} // namespace convoy::accelerators
