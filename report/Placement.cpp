// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves out estimates that the device does not give.

#include "report/Placement.h"
#include "Driver/Backends/Device/PlacementText.h"

namespace convoy::report {

llvm::json::Object placementToJson(const PlacementSummary &placement) {
  llvm::json::Object object{
      {"device", placement.device},
      {"policy", placement.policy == PlacePolicy::Fastest ? "fastest" : "all"},
      {"ops", placement.ops},
      {"placed_ops", placement.placedOps},
      {"slower_ops", placement.slowerOps},
      {"regions", placement.regions}};
  if (placement.deviceNs > 0) {
    object["estimated_device_ns"] = placement.deviceNs;
    object["estimated_cpu_ns"] = placement.cpuNs;
    object["device_ghz"] = driver::clockOf(placement);
    object["estimated_faster"] = placement.deviceNs < placement.cpuNs;
  }
  if (!placement.reason.empty()) {
    object["reason"] = llvm::json::fixUTF8(placement.reason);
    object["remedy"] = llvm::json::fixUTF8(placement.remedy);
  }
  return object;
}

} // namespace convoy::report
