// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a library. compileModel takes a model and a request and returns an
// artifact:
//
//     convoy::Result<convoy::Model> model = convoy::Model::read("model.onnx");
//     convoy::CompileRequest request;
//     request.output.folder = "out";
//     convoy::Result<convoy::Artifact> artifact = convoy::compileModel(*model, request);
//
// Only one thread at a time may compile to a library, because the linker is not thread-safe.

#pragma once

#include "convoy/artifact.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include "convoy/result.h"
#include "convoy/version.h"

namespace convoy {

/// Compiles as `convoy compile` does: the same request gives the same bytes.
CONVOY_API Result<Artifact> compileModel(const Model &model, const CompileRequest &request);

} // namespace convoy
