// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loadable holds, for people, for programs and as a picture.

#pragma once

#include "Accelerators/NVDLA/Cycles/CycleModel.h"
#include "Accelerators/NVDLA/Loadable/Tasks.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::nvdla {

/// A task's operations that run as one, and how long that takes.
struct InspectedLayer {
  std::vector<size_t> ops;
  /// The total is what they add to the task's time (Timeline.h).
  LayerCycles cycles;
  /// Of the MAC array while they run.
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

/// Reads all tasks. With a configuration also estimates cycles, for which operations must start in
/// some order and lie in their memories.
llvm::Expected<InspectedLoadable>
inspectLoadable(llvm::StringRef name, llvm::ArrayRef<uint8_t> bytes, const HardwareConfig *config);

void printLoadable(llvm::raw_ostream &os, const InspectedLoadable &inspected);
llvm::json::Value loadableToJson(const InspectedLoadable &inspected);

/// Operations as boxes in a column per engine, edges from producers to consumers.
void printDependencySvg(llvm::raw_ostream &os, const InspectedLoadable &inspected);

/// "24 x 24 x 20 -> 12 x 12 x 20, 2 x 2 max": the shape of an operation in one line.
std::string describeOp(const HardwareOp &op);
llvm::StringRef eventName(uint8_t event);

} // namespace convoy::nvdla
