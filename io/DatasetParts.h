// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a data set: the store of samples, its labels and its JSON file. Dataset.cpp combines
// them; no other folder includes this header.

#pragma once

#include "io/Dataset.h"
#include "io/InputData.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace convoy::io {

/// The samples of a data set without labels. Any thread may call the functions.
class SampleStore {
public:
  virtual ~SampleStore() = default;
  virtual size_t size() const = 0;
  /// Returns the name of a sample for messages.
  virtual std::string nameOf(size_t index) const = 0;
  virtual llvm::Expected<NamedData> read(size_t index) const = 0;
  /// Returns a hash of the sample's bytes before preprocessing.
  virtual llvm::Expected<uint64_t> contentHash(size_t index) const = 0;
  /// Returns whether the samples are files whose names a file of labels can contain.
  virtual bool hasFileNames() const = 0;
};

/// What a store must know about the model.
struct StoreInputs {
  Model model; // owns the data that `infos` points to
  std::vector<InputInfo> infos;
  ImageFlags image;
};

/// Opens a folder: one file per sample of a single input, or one folder of input_N.pb per sample.
/// Ignores hidden files, JSON files and the file of the labels.
llvm::Expected<std::unique_ptr<SampleStore>> openFolder(const DatasetFlags &flags,
                                                        StoreInputs inputs);

/// Opens a .npy file whose first dimension counts the samples.
llvm::Expected<std::unique_ptr<SampleStore>> openRows(const DatasetFlags &flags,
                                                      StoreInputs inputs);

/// Returns the shape of a sample for an input: the shape in the file, or the shape in the file with
/// a batch of 1 in front. Returns nothing if neither fits the input.
std::optional<Shape> sampleShape(llvm::ArrayRef<int64_t> shape, const InputInfo &input);

/// Reads one label per sample and checks it against the classes of the model's first output.
llvm::Expected<std::vector<int64_t>> readLabels(const std::string &path, const SampleStore &store,
                                                const Model &model);

/// Reads the JSON file of a data set. A member of `flags` that differs from its default takes
/// precedence over the file.
llvm::Error applyDatasetJson(const std::string &path, DatasetFlags &flags);

} // namespace convoy::io
