// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A data set: samples, labels and preprocessing. run, check, quantize and bench use it.
//
// A data set is a folder of images or tensors (one file per sample, or one folder of input_N.pb
// per sample), one .npy file whose first dimension counts the samples, or a JSON file that names
// one of these with its labels and preprocessing. A .npy of U8 with 3 or 4 dimensions (N, rows,
// columns, channels) contains images.

#pragma once

#include "convoy/request.h"
#include "io/ImageFlags.h"
#include "io/ModelFlags.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace convoy::io {

/// What a user says about a data set.
struct DatasetFlags {
  std::string data;   // folder, .npy file or .json file
  std::string labels; // .npy or .u8 file of integers, or text with "NAME LABEL" or "LABEL" per line
  ImageFlags image;
  /// The largest number of samples to read, evenly spread by content hash; 0: all.
  int64_t samples = 0;
};

class Dataset : public SampleSource {
public:
  /// Returns the class of a sample; nothing if the data set has no labels.
  virtual std::optional<int64_t> label(size_t index) const = 0;
  virtual bool hasLabels() const = 0;
  /// Returns a hash of the sample's bytes before preprocessing and of its label.
  virtual uint64_t hashOf(size_t index) const = 0;
  /// Returns the flags after the JSON file is applied.
  virtual const DatasetFlags &flags() const = 0;
};

/// Opens a data set for the inputs of a model. Returns null after an error. Errors name `flag`, for
/// example "--data".
std::shared_ptr<const Dataset> openDataset(const DatasetFlags &flags, const Model &model,
                                           const InputPins &pins, const std::string &flag,
                                           Problems &problems);

/// Writes the JSON file that describes a data set; paths are relative to the file's folder.
llvm::Error writeDatasetJson(const DatasetFlags &flags, const std::string &path);

/// Sample numbers of the parts of a data set. The content hash decides the part of a sample, so
/// equal samples are in one part and the order of files does not matter.
struct Split {
  std::vector<size_t> calibrate, select, prove;
};

/// Splits a data set. The shares are of 1; the rest is for proofs.
Split splitDataset(const Dataset &data, double calibrateShare, double selectShare);

/// Returns the SHA-256 of the hashes of the samples, in hexadecimal digits. It does not depend on
/// their order.
std::string contentHash(const Dataset &data, const std::vector<size_t> &samples);

} // namespace convoy::io
