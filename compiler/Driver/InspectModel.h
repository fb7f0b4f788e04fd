// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model file holds, and what import makes of it.

#pragma once

#include "convoy/model.h"
#include "convoy/request.h"
#include <string>
#include <utility>
#include <vector>

namespace convoy::driver {

using Counts = std::vector<std::pair<std::string, int64_t>>;

struct InspectedValue {
  std::string name, declared, inferred;
};

/// Facts of the file; those of the graph are missing when it cannot be imported.
struct InspectedModel {
  std::string producer;
  int64_t irVersion = 0;
  Counts opsets;
  std::vector<InspectedValue> inputs, outputs;
  int64_t nodes = 0, parameters = 0, weightBytes = 0;
  Counts nodesByOp, graphOps;
  int64_t graphOpCount = 0;
};

/// Imports with what is pinned. Problems of the import are added; the facts of the file are
/// there all the same.
InspectedModel inspectModel(const Model &model, const InputPins &pins, Problems &problems);

} // namespace convoy::driver
