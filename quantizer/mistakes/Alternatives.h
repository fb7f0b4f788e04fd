// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other forms of preprocessing for the samples of a data set. Mistakes.cpp tries them.

#pragma once

#include "io/Dataset.h"
#include "quantizer/mistakes/Mistakes.h"
#include <memory>
#include <string>
#include <vector>

namespace convoy::quantizer {

/// One form of preprocessing, as a change of the samples that the data set gives.
struct Alternative {
  MistakeKind kind = MistakeKind::Range;
  std::string mistake; // what is wrong if this form is right
  std::string remedy;  // "use" and the flags that select this form, or what to do with the array
  /// Changes a sample; empty: the sample of `source` as it is.
  std::function<void(TensorData &)> change;
  std::shared_ptr<const io::Dataset> source; // null: the data set that was given
};

/// Returns the forms for a model with one input of F32 that is an image. A model with other inputs
/// has none. Forms with few changes come first.
std::vector<Alternative> alternativesOf(const Model &model, const InputPins &pins,
                                        const io::Dataset &data,
                                        const std::vector<size_t> &samples);

/// A data set that contains chosen samples in several forms, so that one evaluation of one compiled
/// model tries all forms. Sample i has form i / n of n samples.
class AlteredData : public io::Dataset {
public:
  AlteredData(const io::Dataset &data, std::vector<size_t> samples,
              std::vector<const Alternative *> forms)
      : data(data), samples(std::move(samples)), forms(std::move(forms)) {}

  size_t size() const override { return samples.size() * forms.size(); }
  std::string nameOf(size_t index) const override { return data.nameOf(sampleOf(index)); }
  Result<NamedTensors> read(size_t index) const override;
  std::optional<int64_t> label(size_t index) const override { return data.label(sampleOf(index)); }
  bool hasLabels() const override { return data.hasLabels(); }
  uint64_t hashOf(size_t index) const override { return data.hashOf(sampleOf(index)); }
  const io::DatasetFlags &flags() const override { return data.flags(); }

private:
  size_t sampleOf(size_t index) const { return samples[index % samples.size()]; }

  const io::Dataset &data;
  std::vector<size_t> samples;
  std::vector<const Alternative *> forms; // null: the form of the data set
};

} // namespace convoy::quantizer
