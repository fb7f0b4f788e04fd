// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of a model (convoy/table.h) that is loaded into this process. A library contains its
// table as constants, which TableGlue.cpp writes.

#pragma once

#include "Codegen/LLVM/ModelInterface.h"
#include "convoy/table.h"

namespace convoy::codegen {

/// A table and the memory that it points to.
class ModelTable {
public:
  /// The functions of the table are null.
  explicit ModelTable(ModelInterface described);
  ModelTable(const ModelTable &) = delete;
  ModelTable &operator=(const ModelTable &) = delete;

  convoy_model table = {};

private:
  ModelInterface interface;
  std::vector<convoy_tensor> inputs, outputs;
};

} // namespace convoy::codegen
