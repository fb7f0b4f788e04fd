// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions behind the verbs check, explain, inspect and bench. Each returns the JSON that
// `convoy VERB --json` prints, and throws convoy.Error.

#pragma once

#include "BuildRequest.h"

namespace convoy::python {

/// `inputs` are values of _values.py, `goldens` folders of one case each.
std::string check(const BuildRequest &request, const std::vector<std::string> &targets,
                  const py::dict &inputs, const std::vector<std::string> &goldens, bool isExact,
                  bool hasLayers);
std::string explain(const BuildRequest &request);
/// Describes a compiled library or a device's file if the ending of `path` is one of these.
std::string inspect(const BuildRequest &request, const std::string &path);
/// Measures one request per number of threads with the program convoy-measure.
std::string bench(const std::vector<const BuildRequest *> &requests, int64_t samples,
                  bool hasLayers, bool isHot, const std::string &program);

} // namespace convoy::python
