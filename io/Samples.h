// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a folder of calibration samples. The files are prepared in the same way as for `convoy
// run --input`.

#pragma once

#include "convoy/workflow.h"
#include "io/InputData.h"

namespace convoy::io {

/// Opens the samples of a folder. A sample is a file with one input, or a folder of files
/// input_N.pb. `image` controls the conversion of images. Returns null after an error.
std::shared_ptr<const SampleSource> openSamples(const std::string &folder, const Model &model,
                                                const InputPins &pins, const ImageFlags &image,
                                                Problems &problems);

/// Returns the samples of a folder for Workflow::calibrate. convoy::samplesIn calls it with
/// default flags.
SamplesOpener samplesIn(const std::string &folder, const ImageFlags &image);

/// Converts data to tensors of the public interface. Adds an error for each value that is not
/// a tensor.
NamedTensors toNamedTensors(const NamedData &data, Problems &problems);

} // namespace convoy::io
