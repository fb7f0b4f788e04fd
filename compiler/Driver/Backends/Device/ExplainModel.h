// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains the placement of a model: the region and the fused nodes of each node on the
// device, and the reason of each node that stays on the CPU. `convoy explain` prints it.

#pragma once

#include "convoy/artifact.h"
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
  // For a node on the device:
  int64_t region = -1; // -1: the node stays on the CPU
  double deviceNs = 0; // estimated
  std::vector<std::string> fusedWith;
  // For a node on the CPU:
  std::string reason, remedy;
  std::optional<ExceededLimit> limit;
  /// Number of ops that this entry describes. The ops of a decomposed node share one entry.
  int64_t steps = 1;
  bool isComposite = false;
};

struct Explanation {
  PlacementSummary placement;
  std::vector<NodePlacement> nodes;
  std::vector<DeviceLayer> layers;
};

/// Explains the placement on the device that the request names as target.
Result<Explanation> explainModel(const Model &model, const CompileRequest &request);

} // namespace convoy::driver
