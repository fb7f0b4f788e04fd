// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the types and the constant values between the nodes of a model with the importer and the
// stage "graph". They run in a child process, because the model that is reduced may crash them.

#pragma once

#include "convoy/request.h"
#include "reduce/NodeGraph.h"

namespace convoy::reduce {

/// Returns facts about the values of a normalized model, as far as they are known. `pins` sets open
/// sizes of inputs. Values that the model does not compute from inputs have their elements, up to a
/// limit. If the importer fails, facts remain about the longest prefix of the nodes that it imports
/// and about the values whose types the model declares. The caller must have no other threads.
ValueFacts collectFacts(const onnx::ModelProto &model, const InputPins &pins);

} // namespace convoy::reduce
