// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the space of a task: all combinations of templates, layouts and settings that can
// run it, ordered by the analytical model. Each rejected point has a reason.

#pragma once

#include "Layout/Spaces.h"
#include "tuning/space/Configuration.h"
#include "tuning/space/ReadTask.h"
#include "tuning/space/SpaceFile.h"
#include <map>

namespace convoy::tuning {

struct SpaceOptions {
  kernels::Machine machine;
  bool isStrictMath = false;
  /// A user's changes to the space; may be null.
  const SpaceFile *file = nullptr;
  /// The maximum number of entries. The space drops the entries with the most estimated
  /// cycles.
  size_t mostEntries = 1500;
};

struct SpaceEntry {
  Configuration configuration;
  /// The estimate of the analytical model for one core.
  double cycles = 0;
  /// The estimate divided by the lowest estimate of the space, which does not depend on the size of
  /// the task.
  double cyclesByFewest = 1;
  /// The part (template and input layout) and the position in it. Neighboring entries differ
  /// in one number of `settings`.
  size_t part = 0;
  kernels::Settings settings;
};

/// One template with one input layout.
struct SpacePart {
  /// The name of each number in `settings`.
  std::vector<std::string> parameters;
  /// The number of parameters of each knob.
  std::vector<size_t> widths;
};

struct TaskSpace {
  /// The first entry is the compiler's choice without measurements. The other entries are
  /// sorted by cycles, then by text.
  std::vector<SpaceEntry> entries;
  /// The number of points of all templates, including rejected points.
  int64_t points = 0;
  /// The number of rejected points by reason.
  std::map<std::string, int64_t> rejected;
  std::vector<SpacePart> parts;

  const SpaceEntry &first() const { return entries.front(); }
  /// Returns the entry with this configuration, or null.
  const SpaceEntry *find(const Configuration &configuration) const;
};

/// Returns the space of a planar kernel. An error concerns the user's space file.
llvm::Expected<TaskSpace> spaceOf(graph::KernelOp kernel, const SpaceOptions &options);

/// Returns "planar", or the layout as MLIR prints it.
std::string layoutText(mlir::Attribute layout);

} // namespace convoy::tuning
