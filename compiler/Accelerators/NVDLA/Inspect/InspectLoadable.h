// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows a loadable as text, as JSON and as a picture.

#pragma once

#include "Accelerators/NVDLA/Cycles/CycleModel.h"
#include "Accelerators/NVDLA/Loadable/Tasks.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::nvdla {

/// Operations of a task that run as one group, and their estimated time.
struct InspectedLayer {
  std::vector<size_t> ops;
  /// The total is the time that the group adds to the task (Timeline.h).
  LayerCycles cycles;
  /// Utilization of the MAC array while the group runs.
  double utilization = 0;
  uint64_t begin = 0, end = 0;
};

struct InspectedTask {
  uint16_t id = 0;
  Interface interface = Interface::None;
  DlaTask dla;
  EmulatorTask emulator;
  /// In the firmware's order; empty without a configuration.
  std::vector<InspectedLayer> layers;
};

struct InspectedLoadable {
  std::string name;
  uint64_t fileBytes = 0;
  Loadable loadable;
  std::vector<InspectedTask> tasks;
};

/// Decodes all tasks. With a configuration, also estimates cycles, which requires that the
/// operations can be scheduled and lie within their memories.
llvm::Expected<InspectedLoadable>
inspectLoadable(llvm::StringRef name, llvm::ArrayRef<uint8_t> bytes, const HardwareConfig *config);

void printLoadable(llvm::raw_ostream &os, const InspectedLoadable &inspected);
llvm::json::Value loadableToJson(const InspectedLoadable &inspected);

/// Prints operations as boxes in one column per engine, with edges from producers to consumers.
void printDependencySvg(llvm::raw_ostream &os, const InspectedLoadable &inspected);

/// Returns one line such as "24 x 24 x 20 -> 12 x 12 x 20, 2 x 2 max".
std::string describeOp(const HardwareOp &op);
llvm::StringRef eventName(uint8_t event);

} // namespace convoy::nvdla
