// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two builds of a model for a microcontroller: what became larger and smaller, in total
// and per layer. `convoy bench --compare A.json B.json` prints it. Counts are exact, so each
// difference is a change of the build.

#pragma once

#include "report/MicroBuild.h"
#include <optional>

namespace convoy::report {

/// A number of both builds.
struct MicroChange {
  std::string name;
  int64_t before = 0, after = 0;

  int64_t growth() const { return after - before; }
};

/// The numbers of a layer that differ. Layers are paired by their kernel and nodes, then by their
/// nodes. An unpaired layer is only in one build; its numbers in the other are 0.
struct LayerChange {
  std::string before, after; // the layer in each build; empty: not there
  std::vector<MicroChange> changes;
};

struct MicroComparison {
  std::string model, target;
  std::vector<MicroChange> totals; // all, changed or not
  std::vector<LayerChange> layers; // only with changes

  /// Returns whether the instructions, the flash or the RAM became larger.
  bool hasGrown() const;
};

MicroComparison compareBuilds(const MicroBuild &before, const MicroBuild &after);

void printComparison(llvm::raw_ostream &os, const MicroComparison &comparison);
llvm::json::Object toJson(const MicroComparison &comparison);

/// Reads the builds of a file of `convoy bench --json=FILE` or `convoy compile --json=FILE`.
/// Returns nothing if the file has other results.
llvm::Expected<std::optional<std::vector<MicroBuild>>> parseMicroBuilds(llvm::StringRef text,
                                                                        llvm::StringRef origin);

} // namespace convoy::report
