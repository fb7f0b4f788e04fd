// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains the kernels of a model on a CPU: the template of each kernel and its predicted time,
// and why a kernel of generic loops has no template. `convoy explain` prints it.

#pragma once

#include "convoy/artefact.h"
#include "convoy/model.h"
#include "convoy/request.h"

namespace convoy::driver {

/// A template and the reason why it does not run a kernel.
struct TemplateRefusal {
  std::string templateId, reason;
};

struct KernelExplanation {
  KernelSummary kernel;
  /// For generic loops: one entry per template.
  std::vector<TemplateRefusal> refusals;
  /// The attention that the kernel computes, or why the product of the kernel is not part of one.
  /// Empty if the kernel has no softmax between two products.
  std::string remark;

  bool isGenericLoops() const { return kernel.templateId == "loops"; }
};

struct KernelExplanations {
  std::string target;
  std::vector<KernelExplanation> kernels; // in execution order
  GenericLoops genericLoops;
};

/// Runs the stages up to `kernels` for the CPU that the request names as target. Writes no file.
Result<KernelExplanations> explainKernels(const Model &model, const CompileRequest &request);

} // namespace convoy::driver
