// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of inputs that a model is calibrated on. Files are prepared exactly as
// `convoy run --input` prepares them.

#pragma once

#include "io/InputData.h"

namespace convoy::io {

/// The samples of a folder: files of one input each, or folders of input_N.pb. `image` says
/// how images become tensors. Null after problems.
std::shared_ptr<const SampleSource> openSamples(const std::string &folder, const Model &model,
                                                const InputPins &pins, const ImageFlags &image,
                                                Problems &problems);

/// Tensors of the public interface. Adds an error for a value that is no tensor.
NamedTensors toNamedTensors(const NamedData &data, Problems &problems);

} // namespace convoy::io
