// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calibration samples are a data set without labels.

#include "io/Samples.h"
#include "Driver/AddProblem.h"
#include "Driver/TensorConversion.h"
#include "io/Dataset.h"

namespace convoy::io {

std::shared_ptr<const SampleSource> openSamples(const std::string &folder, const Model &model,
                                                const InputPins &pins, const ImageFlags &image,
                                                Problems &problems) {
  DatasetFlags flags;
  flags.data = folder;
  flags.image = image;
  return openDataset(flags, model, pins, "--calibrate", problems);
}

SamplesOpener samplesIn(const std::string &folder, const ImageFlags &image) {
  using Opened = Result<std::shared_ptr<const SampleSource>>;
  return [folder, image](const Model &model, const InputPins &pins) {
    Problems problems;
    std::shared_ptr<const SampleSource> samples = openSamples(folder, model, pins, image, problems);
    return samples ? Opened(std::move(samples), problems) : Opened(problems);
  };
}

NamedTensors toNamedTensors(const NamedData &data, Problems &problems) {
  NamedTensors tensors;
  for (const auto &[name, datum] : data) {
    if (datum.isTensor()) {
      tensors[name] = driver::toTensorData(datum.tensor);
    } else {
      addUnsupported(problems, "not supported: input '" + name + "' is not a tensor");
    }
  }
  return tensors;
}

} // namespace convoy::io

namespace convoy {

SamplesOpener samplesIn(const std::string &folder) { return io::samplesIn(folder, {}); }

} // namespace convoy
