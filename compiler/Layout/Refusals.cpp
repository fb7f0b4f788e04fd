// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the reasons of the templates that have no candidate for a kernel.

#include "Layout/Refusals.h"
#include "Kernels/KernelTemplate.h"

namespace convoy::layout {

std::vector<TemplateRefusal> refusalsOf(graph::KernelOp kernel, const kernels::Machine &machine,
                                        bool isStrictMath) {
  kernels::KernelFacts facts(kernel, isStrictMath);
  std::vector<TemplateRefusal> refusals;
  for (const kernels::KernelTemplate *known : kernels::templates()) {
    std::string reason = known->whyNoCandidate(facts, machine);
    if (!reason.empty()) {
      refusals.push_back({known->id().str(), reason});
    }
  }
  return refusals;
}

} // namespace convoy::layout
