// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts a workflow from a model in memory.

#pragma once

#include "Import/Import.h"
#include "Import/OnnxProto.h"
#include "convoy/workflow.h"

namespace convoy::quantizer {

/// Returns the model of a proto. `directory` contains its external data.
inline Model modelOf(onnx::ModelProto proto, const std::string &name = "model",
                     const std::string &directory = "") {
  return Model(std::make_shared<import::Model>(
      import::Model{std::make_shared<onnx::ModelProto>(std::move(proto)), directory, name}));
}

/// Returns a workflow on the host with the pins of the model.
inline Workflow workflowOf(onnx::ModelProto proto, const InputPins &pins) {
  return Workflow(Result<Model>(modelOf(std::move(proto)))).with([&](CompileRequest &request) {
    request.inputs = pins;
  });
}

} // namespace convoy::quantizer
