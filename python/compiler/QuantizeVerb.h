// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy.quantize: a quantized model with its plan, its result and its page, in memory.

#pragma once

#include "BuildRequest.h"
#include "quantizer/QuantizeModel.h"

namespace convoy::python {

class Quantization {
public:
  Quantization(quantizer::QuantizeRequest request, quantizer::QuantizeResult result,
               Problems problems)
      : request(std::move(request)), result(std::move(result)), problems(std::move(problems)) {}

  /// Returns the ONNX file.
  py::bytes model() const;
  /// Returns the JSON of the plan.
  std::string plan() const;
  /// Returns the JSON that `convoy quantize --json` prints, without the names of files.
  std::string json() const;
  /// Returns the HTML page.
  std::string page() const;
  py::list warnings() const { return warningsOf(problems); }
  /// Writes the model and, beside it, the plan.
  void save(const std::string &path) const;

private:
  quantizer::QuantizeRequest request;
  quantizer::QuantizeResult result;
  Problems problems;
};

/// Quantizes a model. `values` has a value or None per keyword of the table of options, `data` and
/// `calibration` are as DataSets.h describes (`calibration` may be None), `plan` is a JSON text or
/// empty. Throws if the data does not prove the limit, unless `allowsUnproven` is set.
std::unique_ptr<Quantization> quantize(const BuildRequest &request, const py::dict &values,
                                       const py::dict &data, const py::object &calibration,
                                       const std::string &plan, bool allowsUnproven,
                                       const py::object &progress);

} // namespace convoy::python
