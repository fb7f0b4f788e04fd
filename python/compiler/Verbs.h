// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions behind the verbs check, explain, inspect, bench, run, sweep and records, and the
// traces. Each
// function that returns a text returns the JSON that `convoy VERB --json` prints. All throw
// convoy.Error.

#pragma once

#include "BuildRequest.h"

namespace convoy::python {

/// `inputs` are values of _values.py, `goldens` folders of one case each, `data` a data set of
/// DataSets.h or None.
std::string check(const BuildRequest &request, const std::vector<std::string> &targets,
                  const py::dict &inputs, const std::vector<std::string> &goldens,
                  const py::object &data, bool isExact, bool hasLayers);
std::string explain(const BuildRequest &request);
/// Describes a compiled library or a device's file if the ending of `path` is one of these.
std::string inspect(const BuildRequest &request, const std::string &path);

/// Measures one request per number of threads with the program convoy-measure. `values` are the
/// settings of _verbs.py; `inputs` are values of _values.py, `data` a data set or None.
std::string bench(const std::vector<const BuildRequest *> &requests, const py::dict &values,
                  const py::dict &inputs, const py::object &data, const std::string &program);

/// Evaluates a model on a data set with some inferences at the same time. `metric` is a command or
/// empty. Calls `progress` (may be None) as progress(step, done, total).
std::string runData(const BuildRequest &request, const py::dict &data, int64_t top, int64_t threads,
                    const std::string &metric, const py::object &progress);

/// Simulates a model on a device. `axes` has the values of each flag of `convoy sweep` as texts;
/// `page` is the file of the HTML report or empty.
std::string sweep(const BuildRequest &request, const py::dict &axes,
                  const std::vector<std::string> &devices, const std::string &page);

// The verbs of `convoy records`. exportRecords and drawRecords return a JSON string: the lines and
// the HTML report.
std::string listRecords(const std::vector<std::string> &files);
std::string mergeRecords(const std::vector<std::string> &files, const std::string &into);
std::string importRecords(const std::vector<std::string> &files, const std::string &into);
std::string exportRecords(const std::vector<std::string> &files);
std::string pruneRecords(const std::vector<std::string> &files, double olderThanSeconds,
                         bool isStale, bool isFailed, int64_t keepFastest, bool isDryRun);
std::string drawRecords(const std::string &file);

/// Writes the rows of a profile: [(thread, [(event, begin, end)])], in nanoseconds.
void writeTrace(const std::string &path, const py::list &rows);
/// Writes also the kernels of one inference, which runs with probes in the program convoy-measure.
void trace(const BuildRequest &request, const py::dict &inputs, const std::string &path,
           const std::string &program, const py::list &rows);

/// Returns the error for an installation without convoy-measure.
std::string missingMeasureProgram();

} // namespace convoy::python
