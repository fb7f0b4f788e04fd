// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a compiled library and its input data for convoy-measure. BenchModel.h and
// TraceModel.h measure libraries with it.

#pragma once

#include "Support/Tensor.h"
#include "convoy/artifact.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace convoy::timing {

/// Returns the data of an input: the given data, or random data with the index of the input as
/// seed. Fails if the given data has another type or shape than the input.
llvm::Expected<Tensor> inputData(const TensorInfo &input, size_t index, const NamedTensors &given);

/// Returns the file of an input in a folder.
std::string inputFile(llvm::StringRef folder, size_t index);

llvm::Error writeRaw(const Tensor &tensor, const std::string &path);

/// Writes the data of all inputs into a folder.
llvm::Error writeInputs(const CompileReport &summary, const NamedTensors &given,
                        llvm::StringRef folder);

/// Returns the part of a specification of convoy-measure that all modes need:
/// tools/convoy-measure/Spec.h describes the format. The data of the inputs is in `folder`.
llvm::json::Object specification(const Artifact &artifact, llvm::StringRef mode,
                                 llvm::StringRef folder);

/// Returns the entry of a specification for a library.
llvm::json::Object libraryToJson(const Artifact &artifact);

} // namespace convoy::timing
