// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the summary of a compile to JSON.

#include "report/Built.h"
#include "report/Placement.h"

namespace convoy::report {

llvm::json::Object builtToJson(const CompileSummary &summary) {
  llvm::json::Array configs;
  for (const KernelSummary &layer : summary.layers) {
    configs.push_back(layer.config);
  }
  llvm::json::Object object{{"target", summary.target},   {"hash", summary.hash},
                            {"threads", summary.threads}, {"tuned", summary.tuned.tuned},
                            {"kernels", summary.kernels}, {"configs", std::move(configs)}};
  if (!summary.placement.device.empty()) {
    object["placement"] = placementToJson(summary.placement);
  }
  return object;
}

} // namespace convoy::report
