// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data sets of Python: a path with the settings for its images, or samples in memory. The Python
// file _datasets.py checks the types of the arguments.

#pragma once

#include "BuildRequest.h"
#include "io/Dataset.h"
#include <atomic>

namespace convoy::python {

/// Opens a data set for a model. `source` is a dictionary: "data", "labels" and "samples", or
/// "arrays" and "classes". `request` has the settings of images. Errors name `flag`. Returns null
/// after an error.
std::shared_ptr<const io::Dataset> openData(const py::dict &source, const ModelRequest &wanted,
                                            const BuildRequest &request, const std::string &flag,
                                            Problems &problems);

/// Returns the data set with reads that fail once `isCanceled` is set, so that an interrupted step
/// ends soon.
std::shared_ptr<const io::Dataset> cancelable(std::shared_ptr<const io::Dataset> data,
                                              std::shared_ptr<const std::atomic<bool>> isCanceled);

} // namespace convoy::python
