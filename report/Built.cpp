// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the report of a compile to JSON.

#include "report/Built.h"
#include "report/Placement.h"

namespace convoy::report {

llvm::json::Object builtToJson(const CompileReport &report) {
  llvm::json::Array configs;
  for (const KernelReport &layer : report.kernels) {
    configs.push_back(layer.config);
  }
  llvm::json::Object object{{"target", report.target},       {"hash", report.hash},
                            {"threads", report.threads},     {"tuned", report.tuned.tuned},
                            {"kernels", report.kernelCount}, {"configs", std::move(configs)}};
  if (!report.placement.device.empty()) {
    object["placement"] = placementToJson(report.placement);
  }
  return object;
}

} // namespace convoy::report
