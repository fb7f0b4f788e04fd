// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the facts of a model file and of its imported graph for `convoy inspect`.

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

/// Facts of the file. If the import fails, the facts of the graph are missing.
struct InspectedModel {
  std::string producer;
  int64_t irVersion = 0;
  Counts opsets;
  std::vector<InspectedValue> inputs, outputs;
  int64_t nodes = 0, parameters = 0, weightBytes = 0;
  Counts nodesByOp, graphOps;
  int64_t graphOpCount = 0;
};

/// Imports the model with the pinned inputs. If the import fails, the function adds its
/// problems and returns the facts of the file alone.
InspectedModel inspectModel(const Model &model, const InputPins &pins, Problems &problems);

} // namespace convoy::driver
