// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes multiply-adds and bytes from the types of operands and results.

#include "timing/Work.h"
#include "Codegen/LLVM/Probe.h"
#include "Graph/Graph.h"
#include "Graph/NodeName.h"
#include "Support/ElementType.h"
#include "Task/Task.h"
#include "check/rules/OpError.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;

namespace convoy::timing {
namespace {

double elements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? static_cast<double>(type.getNumElements()) : 0;
}

double bytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) {
    return 0;
  }
  return static_cast<double>(tensor.getNumElements() *
                             storageBytes(fromMlir(tensor.getElementType())));
}

/// Returns the multiply-adds of an einsum: one per combination of its labels and per product.
double einsumMultiplyAdds(graph::EinsumOp op) {
  std::map<char, int64_t> sizes;
  StringRef inputs = op.getEquation().split("->").first;
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  for (auto [term, input] : llvm::zip(terms, op.getInputs())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    for (size_t i = 0; type && i < term.size() && i < static_cast<size_t>(type.getRank()); ++i) {
      sizes[term[i]] = std::max(sizes[term[i]], type.getDimSize(static_cast<unsigned>(i)));
    }
  }
  double combinations = terms.size() > 1 ? 1 : 0;
  for (const auto &[label, size] : sizes) {
    combinations *= static_cast<double>(size);
  }
  return combinations;
}

/// Returns the product of the elements of `outputs` and the elements of one output channel of
/// `weight`.
double windowMultiplyAdds(Value outputs, Value weight) {
  auto type = dyn_cast<RankedTensorType>(weight.getType());
  double channels = type ? static_cast<double>(type.getDimSize(0)) : 1;
  return elements(outputs) * elements(weight) / channels;
}

double multiplyAdds(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<graph::ConvOp, graph::MatMulOp, graph::ByteMatMulOp>([](Operation *plain) {
        return elements(plain->getResult(0)) * static_cast<double>(check::summedTerms(plain));
      })
      .Case([](graph::IntegerMatMulOp product) {
        auto lhs = dyn_cast<RankedTensorType>(product.getLhs().getType());
        bool hasDepth = lhs && lhs.getRank() > 0;
        return elements(product.getResult()) *
               (hasDepth ? static_cast<double>(lhs.getShape().back()) : 1);
      })
      .Case<graph::IntegerConvOp, graph::DeformConvOp>(
          [](auto conv) { return windowMultiplyAdds(conv.getResult(), conv.getWeight()); })
      .Case([](graph::ConvTransposeOp conv) {
        return windowMultiplyAdds(conv.getInput(), conv.getWeight());
      })
      .Case([](graph::EinsumOp einsum) { return einsumMultiplyAdds(einsum); })
      .Default([](Operation *) { return 0.0; });
}

/// Returns how often an op runs: the product of the steps of the scans around it.
double runsOf(Operation *op) {
  double runs = 1;
  for (auto scan = op->getParentOfType<graph::ScanOp>(); scan;
       scan = scan->getParentOfType<graph::ScanOp>()) {
    if (scan.getScanned().empty()) {
      continue;
    }
    auto type = dyn_cast<RankedTensorType>(scan.getScanned().front().getType());
    int64_t steps = type ? type.getDimSize(static_cast<unsigned>(scan.getInputAxes().front())) : 1;
    runs *= static_cast<double>(std::max<int64_t>(steps, 1));
  }
  return runs;
}

} // namespace

double flopsIn(Operation *root) {
  double sum = 0;
  root->walk([&](Operation *op) {
    if (double count = multiplyAdds(op)) {
      sum += 2 * count * runsOf(op);
    }
  });
  return sum;
}

std::vector<Layer> layersOf(ModuleOp module) {
  std::vector<Layer> layers;
  SymbolTable symbols(module);
  module.walk([&](task::RunOp run) {
    Layer layer;
    layer.kernel = run.getKernel().str();
    layer.nodes = graph::nodeText(run.getLoc());
    layer.runs = runsOf(run);
    if (Operation *kernel = symbols.lookup(run.getKernel())) {
      layer.flops = flopsIn(kernel) * layer.runs;
    }
    llvm::SetVector<Value> values(run->operand_begin(), run->operand_end());
    values.insert(run->result_begin(), run->result_end());
    for (Value value : values) {
      layer.bytes += layer.runs * bytes(value.getType());
    }
    layers.push_back(std::move(layer));
  });
  return layers;
}

/// Gives each task of a module a probe with its index.
static void markLayers(ModuleOp module) {
  int64_t index = 0;
  module.walk([&](task::RunOp run) { run->setLoc(codegen::withProbe(run.getLoc(), index++)); });
}

bool WorkObserver::endStage(ModuleOp module, const Stage &stage) {
  if (stage.name == "graph") {
    flops = flopsIn(module);
  } else if (stage.name == "quantize") {
    module.walk([&](graph::RequantizeOp) { isQuantized = true; });
  }
  if (probes != Probes::None && stage.name == "tasks") {
    layers = layersOf(module);
    markLayers(module);
  }
  if (probes == Probes::KernelsAndWaits && stage.name == "schedule") {
    module.walk([](task::WaitOp wait) {
      wait->setLoc(codegen::withProbe(wait.getLoc(), codegen::waitNumber(wait.getWorker())));
    });
  }
  return true;
}

} // namespace convoy::timing
