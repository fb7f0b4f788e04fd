// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where each node of a model runs with a device, with what it is fused, or why it stays
// on the CPU.

#pragma once

#include "convoy/artefact.h"
#include "convoy/model.h"
#include "convoy/request.h"

namespace convoy::driver {

/// A limit of the device that an op exceeds.
struct ExceededLimit {
  std::string quantity;
  int64_t actual = 0, most = 0;
};

struct NodePlacement {
  std::string node, op;
  double cpuNs = 0; // estimated, on one core
  // On the device.
  int64_t region = -1; // -1: it stays on the CPU
  double deviceNs = 0; // estimated
  std::vector<std::string> fusedWith;
  // On the CPU.
  std::string reason, remedy;
  std::optional<ExceededLimit> limit;
  /// Ops that this line stands for: those of a node that was taken apart are one line.
  int64_t steps = 1;
  bool isComposite = false;
};

struct Explanation {
  PlacementSummary placement;
  std::vector<NodePlacement> nodes;
  std::vector<DeviceLayer> layers;
};

/// For the device of the request's target.
Result<Explanation> explainModel(const Model &model, const CompileRequest &request);

} // namespace convoy::driver
