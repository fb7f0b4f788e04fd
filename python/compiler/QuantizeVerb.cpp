// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantizes a model in another thread (runtime/Interruptible.h). After Ctrl-C, the next read of a
// sample fails, which ends the quantization.

#include "QuantizeVerb.h"
#include "../runtime/Interruptible.h"
#include "DataSets.h"
#include "Driver/AddProblem.h"
#include "GivenValues.h"
#include "Import/OnnxProto.h"
#include "QuantizePlan/PlanJson.h"
#include "quantizer/QuantizedFiles.h"
#include "quantizer/report/Page.h"
#include "quantizer/report/ResultText.h"
#include "report/ProblemsJson.h"
#include "llvm/Support/FormatVariadic.h"
#include <pybind11/stl.h>

namespace convoy::python {
namespace {

using quantizer::QuantizeRequest;
using quantizer::QuantizeResult;

/// A quantization that may outlive the function that started it.
struct QuantizeJob {
  explicit QuantizeJob(QuantizeRequest request) : request(std::move(request)) {}

  void run() { result = quantizer::quantizeModel(request); }

  QuantizeRequest request;
  std::shared_ptr<std::atomic<bool>> isCanceled = std::make_shared<std::atomic<bool>>(false);
  KeptObjects kept;
  std::optional<py::error_already_set> progressError; // of the callback
  std::optional<Result<QuantizeResult>> result;
};

/// Calls Python when a step begins and after parts of it. An exception of the callback cancels the
/// quantization.
void showProgress(const std::shared_ptr<QuantizeJob> &job, const py::object &progress) {
  if (progress.is_none()) {
    return;
  }
  job->kept.add(progress);
  // A pointer: the request must not own the job that owns it.
  job->request.progress = [job = job.get(), callback = progress.ptr()](const std::string &step,
                                                                       size_t done, size_t total) {
    if (*job->isCanceled) {
      return;
    }
    py::gil_scoped_acquire lock;
    try {
      (py::handle(callback))(step, done, total);
    } catch (py::error_already_set &error) {
      job->progressError = std::move(error);
      *job->isCanceled = true;
    }
  };
}

void setOptions(const py::dict &values, quantizer::QuantizeOptions &options) {
#include "python/compiler/QuantizeValues.inc"
}

void readPlan(const std::string &text, QuantizeRequest &request, Problems &problems) {
  if (text.empty()) {
    return;
  }
  llvm::Expected<plan::Plan> plan = plan::planFromJson(text, "plan");
  if (!plan) {
    return addError(problems, withPrefix("--plan: ", plan.takeError()));
  }
  request.plan = std::move(*plan);
}

} // namespace

py::bytes Quantization::model() const { return py::bytes(result.model->SerializeAsString()); }

std::string Quantization::plan() const { return plan::toJson(result.plan); }

std::string Quantization::json() const {
  llvm::json::Object object = quantizer::toJson(result, request.options);
  object["model"] = llvm::json::fixUTF8(request.model.name());
  object["warnings"] = report::warningsToJson(problems);
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

std::string Quantization::page() const {
  py::gil_scoped_release release; // reads samples
  return quantizer::drawPage(request, result);
}

void Quantization::save(const std::string &path) const {
  if (llvm::Error error = quantizer::writeQuantized(result, path)) {
    Problems failed;
    addError(failed, std::move(error));
    raiseProblems(failed);
  }
}

std::unique_ptr<Quantization> quantize(const BuildRequest &request, const py::dict &values,
                                       const py::dict &data, const py::object &calibration,
                                       const std::string &plan, bool allowsUnproven,
                                       const py::object &progress) {
  Problems problems;
  ModelRequest wanted = request.complete(Emit::Memory, problems);
  auto job = std::make_shared<QuantizeJob>(
      QuantizeRequest{wanted.model, wanted.request.inputs, {}, {}, {}, {}, {}});
  job->request.options.target = wanted.request.target;
  setOptions(values, job->request.options);
  readPlan(plan, job->request, problems);
  std::shared_ptr<const io::Dataset> samples = openData(data, wanted, request, "--data", problems);
  std::shared_ptr<const io::Dataset> others;
  if (!calibration.is_none()) {
    others =
        openData(calibration.cast<py::dict>(), wanted, request, "--calibration-data", problems);
  }
  if (problems.hasErrors()) {
    raiseProblems(problems);
  }
  job->request.data = cancelable(samples, job->isCanceled);
  job->request.calibration = cancelable(others, job->isCanceled);
  showProgress(job, progress);
  runInterruptibly([job] { job->run(); }, [job] { *job->isCanceled = true; });
  if (job->progressError) {
    py::error_already_set error = std::move(*job->progressError);
    job->progressError.reset();
    throw std::move(error);
  }
  problems.append(job->result->problems());
  if (*job->result && job->request.options.proves && !allowsUnproven &&
      !(*job->result)->proof.isPromised) {
    addError(problems, quantizer::refusalText(**job->result, job->request.options.maxDrop));
  }
  if (problems.hasErrors()) {
    raiseProblems(problems);
  }
  job->request.progress = nullptr;
  return std::make_unique<Quantization>(std::move(job->request), std::move(**job->result),
                                        problems);
}

} // namespace convoy::python
