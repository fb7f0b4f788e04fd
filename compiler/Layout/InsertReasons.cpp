// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements convoy-layout-insert-reasons: asks each template why it has no candidate for a kernel,
// and compares the estimates of the templates that have one with the generic loops.

#include "Graph/Graph.h"
#include "Kernels/Kernel.h"
#include "Layout/Attributes.h"
#include "Layout/Candidates.h"
#include "Layout/Passes.h"
#include "Layout/Refusals.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mlir;

namespace convoy::layout {

#define GEN_PASS_DEF_INSERTREASONSPASS
#include "Layout/Passes.h.inc"

namespace {

/// Returns why the layout stage prefers the generic loops to a template that can run the kernel.
std::string whySlower(double cycles, double loopCycles, bool isMeasured) {
  if (isMeasured) {
    return "slower by the tuning records or by the estimate";
  }
  if (cycles < loopCycles) {
    return llvm::formatv("estimated slower with the reorders of its layouts: {0:f0} cycles without "
                         "reorders, the generic loops take {1:f0} cycles",
                         cycles, loopCycles)
        .str();
  }
  return llvm::formatv("estimated slower: {0:f0} cycles, the generic loops take {1:f0} cycles",
                       cycles, loopCycles)
      .str();
}

/// Returns the remark of the first template that has one.
std::string remarkOf(graph::KernelOp kernel) {
  for (const kernels::KernelTemplate *known : kernels::templates()) {
    if (std::string remark = known->remark(kernel); !remark.empty()) {
      return remark;
    }
  }
  return "";
}

struct InsertReasons : impl::InsertReasonsPassBase<InsertReasons> {
  using InsertReasonsPassBase::InsertReasonsPassBase;

  void runOnOperation() override {
    kernels::Machine machine = kernels::machineOf(getOperation());
    getOperation().walk([&](graph::KernelOp kernel) {
      setReasons(kernel, {refusalsFor(kernel, machine), remarkOf(kernel)});
    });
  }

private:
  /// Returns the reason of each template for the case that the kernel becomes generic loops.
  std::vector<TemplateRefusal> refusalsFor(graph::KernelOp kernel,
                                           const kernels::Machine &machine) const {
    std::map<std::string, std::string> reasons;
    for (TemplateRefusal &refusal : refusalsOf(kernel, machine, isStrictMath)) {
      reasons[refusal.templateId] = std::move(refusal.reason);
    }
    std::map<std::string, double> cycles; // the lowest estimate of each template
    for (const Candidate &candidate : candidatesOf(kernel, machine, isStrictMath)) {
      std::string id = kernels::templateId(candidate.config).str();
      auto [entry, isNew] = cycles.try_emplace(id, candidate.cycles);
      entry->second = std::min(entry->second, candidate.cycles);
    }
    double loopCycles = cycles[kernels::fallbackTemplate().id().str()];
    std::vector<TemplateRefusal> list;
    for (const kernels::KernelTemplate *known : kernels::templates()) {
      std::string id = known->id().str();
      auto reason = reasons.find(id);
      list.push_back({id, reason != reasons.end() ? reason->second
                                                  : whySlower(cycles[id], loopCycles, isMeasured)});
    }
    return list;
  }
};

} // namespace
} // namespace convoy::layout
