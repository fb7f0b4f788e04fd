// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-outline-split-kernels: outlines kernels. Two kernels are equal if their regions
// print the same without locations. Operands are not part of the text, so layers with equal shapes
// share code and differ only in weights.

#include "Graph/Graph.h"
#include "Graph/OpFacts.h"
#include "Kernels/Kernel.h"
#include "Layout/Attributes.h"
#include "Outline/Passes.h"
#include "Task/Probe.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace convoy::outline {
#define GEN_PASS_DEF_SPLITKERNELSPASS
#include "Outline/Passes.h.inc"

/// Returns the name of the kernel without its number. A kernel with several loops has the name of
/// its template. Other kernels, and regions of a device, have the name of the first convolution,
/// product, reduction or pool, otherwise of the last op before the yield.
static StringRef nameOf(graph::KernelOp kernel) {
  StringRef name = "empty";
  Attribute config = kernel.getConfigAttr();
  bool isOfTemplate = config && !isa<kernels::OffloadAttr>(config);
  if (isOfTemplate && graph::loopCount(kernel.getBody().front()) > 1) {
    return config.getAbstractAttribute().getName().split('.').second;
  }
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<graph::ConvOp, graph::MatMulOp, graph::ByteMatMulOp, graph::ReduceOp, graph::MaxPoolOp,
            graph::AveragePoolOp>(op)) {
      return op.getName().stripDialect();
    }
    name = op.getName().stripDialect();
  }
  return name;
}

static std::string textOf(graph::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope();
  for (Value input : kernel.getInputs()) {
    stream << input.getType() << ",";
  }
  stream << kernel.getConfigAttr() << ";";
  for (Operation &op : kernel.getBody().front()) {
    // With local scope, value numbers do not depend on the surrounding function, so equal kernels
    // print the same text.
    op.print(stream, flags);
    stream << ";";
  }
  return text;
}

namespace {
struct SplitKernels : impl::SplitKernelsPassBase<SplitKernels> {
  using SplitKernelsPassBase::SplitKernelsPassBase;

  void runOnOperation() override {
    SmallVector<graph::KernelOp> kernels;
    getOperation().walk([&](graph::KernelOp kernel) { kernels.push_back(kernel); });
    for (auto [index, kernel] : llvm::enumerate(kernels)) {
      task::KernelOp outlined = outlinedOf(kernel);
      OpBuilder builder(kernel);
      auto run = builder.create<task::RunOp>(kernel.getLoc(), kernel.getResultTypes(),
                                             SymbolRefAttr::get(outlined), kernel.getInputs());
      if (Attribute reasons = kernel->getAttr(layout::kReasonsAttr)) {
        run->setAttr(layout::kReasonsAttr, reasons);
      }
      if (hasProbes) {
        run->setAttr(task::kProbeAttr, builder.getI64IntegerAttr(static_cast<int64_t>(index)));
      }
      kernel.replaceAllUsesWith(run.getResults());
      kernel.erase();
    }
  }

  task::KernelOp outlinedOf(graph::KernelOp kernel) {
    task::KernelOp &known = byText[textOf(kernel)];
    if (known) {
      ++sharedKernels;
      return known;
    }
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    std::string name = (nameOf(kernel) + "_" + Twine(byText.size() - 1)).str();
    auto type = builder.getFunctionType(kernel.getInputs().getTypes(), kernel.getResultTypes());
    known = builder.create<task::KernelOp>(kernel.getLoc(), name, type);
    if (Attribute config = kernel.getConfigAttr()) {
      known.setConfigAttr(config);
    }
    known.getBody().takeBody(kernel.getBody());
    Operation *yield = known.getBody().front().getTerminator();
    OpBuilder(yield).create<task::ReturnOp>(yield->getLoc(), yield->getOperands());
    yield->erase();
    return known;
  }

  llvm::StringMap<task::KernelOp> byText;
};
} // namespace
} // namespace convoy::outline
