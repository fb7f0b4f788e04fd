// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The space of a task: the union over templates, layouts and tiles, each point that
// cannot run left out with a reason, the rest in the order of the analytical model.

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
  /// A user's changes, or null.
  const SpaceFile *file = nullptr;
  /// No more entries than this: those with the most estimated cycles are left out.
  size_t mostEntries = 1500;
};

struct SpaceEntry {
  Configuration configuration;
  /// By the analytical model, on one core.
  double cycles = 0;
  /// Those by the fewest of any entry: how likely it is, whatever the task's size.
  double cyclesByFewest = 1;
  /// Which template and input layout it is of, and its place there: neighbours differ in
  /// one number.
  size_t part = 0;
  kernels::Settings settings;
};

/// One template with one input layout.
struct SpacePart {
  /// The names of the numbers in `settings`.
  std::vector<std::string> parameters;
  /// How many of them each knob has.
  std::vector<size_t> widths;
};

struct TaskSpace {
  /// The compiler's choice when nothing was measured first, then by cycles, then by text.
  std::vector<SpaceEntry> entries;
  /// Points of all templates before any was left out.
  int64_t points = 0;
  /// How many were left out, by reason.
  std::map<std::string, int64_t> rejected;
  std::vector<SpacePart> parts;

  const SpaceEntry &first() const { return entries.front(); }
  /// The entry with that configuration, or null.
  const SpaceEntry *find(const Configuration &configuration) const;
};

/// The space of a planar kernel. Errors are those of the user's file.
llvm::Expected<TaskSpace> spaceOf(graph::KernelOp kernel, const SpaceOptions &options);

/// "planar", or the layout as MLIR prints it.
std::string layoutText(mlir::Attribute layout);

} // namespace convoy::tuning
