// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The samples of `--calibrate`: a data set without labels. Dataset.h reads it.

#pragma once

#include "convoy/workflow.h"
#include "io/InputData.h"

namespace convoy::io {

/// Opens a data set of any form that Dataset.h lists, usually a folder. `image` controls the
/// conversion of images. Returns null after an error.
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
