// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// run: evaluates a model on a data set, as `convoy run --data` does.

#include "../runtime/Interruptible.h"
#include "DataSets.h"
#include "Driver/AddProblem.h"
#include "Verbs.h"
#include "quantizer/evaluate/MetricCommand.h"
#include "report/ProblemsJson.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Threading.h"
#include <chrono>
#include <map>
#include <numeric>

namespace convoy::python {
namespace {

using quantizer::Answer;

/// An evaluation that may outlive the function that started it.
struct RunJob {
  explicit RunJob(ModelRequest wanted) : wanted(std::move(wanted)) {}

  void run() {
    samples.resize(data->size());
    std::iota(samples.begin(), samples.end(), 0);
    quantizer::MetricCommand command(metric);
    if (!metric.empty()) {
      addError(problems, command.collect(options, samples.size()));
    }
    auto begin = std::chrono::steady_clock::now();
    Workflow workflow =
        Workflow(wanted.model).with([&](CompileRequest &compile) { compile = wanted.request; });
    Result<std::vector<Answer>> result = quantizer::evaluate(workflow, *data, samples, options);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    problems.append(result.problems());
    if (!result || problems.hasErrors()) {
      return;
    }
    answers = std::move(*result);
    if (!metric.empty()) {
      computeMetric(command);
    }
  }

  llvm::json::Object json() const {
    llvm::json::Object object{
        {"model", llvm::json::fixUTF8(wanted.model.name())},
        {"target", llvm::StringRef(wanted.request.target.name).split(':').first},
        {"data_hash", io::contentHash(*data, samples)},
        {"samples", static_cast<int64_t>(samples.size())},
        {"seconds", seconds},
        {"samples_per_second", static_cast<double>(samples.size()) / seconds},
        {"answers", classes()},
        {"warnings", report::warningsToJson(problems)}};
    if (data->hasLabels()) {
      quantizer::Accuracy accuracy = quantizer::accuracyOf(answers);
      object["accuracy"] =
          llvm::json::Object{{"right", static_cast<int64_t>(accuracy.right)},
                             {"top_1", accuracy.top1()},
                             {"k", options.topK},
                             {"right_in_top_k", static_cast<int64_t>(accuracy.rightInTopK)}};
    }
    if (value) {
      object["metric"] = *value;
    }
    return object;
  }

  ModelRequest wanted;
  std::shared_ptr<const io::Dataset> data;
  quantizer::EvaluateOptions options;
  std::string metric; // a command; empty: none
  std::shared_ptr<std::atomic<bool>> isCanceled = std::make_shared<std::atomic<bool>>(false);
  KeptObjects kept;
  std::optional<py::error_already_set> progressError; // of the callback
  Problems problems;

private:
  void computeMetric(quantizer::MetricCommand &command) {
    llvm::Expected<double> number = command.run(*data, samples);
    if (!number) {
      return addError(problems, number.takeError());
    }
    value = *number;
  }

  /// Returns the classes of the answers, the most frequent first; of equal ones, by index.
  llvm::json::Array classes() const {
    std::map<int64_t, int64_t> counts;
    for (const Answer &answer : answers) {
      counts[answer.top] += answer.isNaN ? 0 : 1;
    }
    std::vector<std::pair<int64_t, int64_t>> rows; // the negative count, and the class
    for (auto [index, count] : counts) {
      if (count > 0) {
        rows.emplace_back(-count, index);
      }
    }
    llvm::sort(rows);
    llvm::json::Array list;
    for (auto [count, index] : rows) {
      list.push_back(llvm::json::Object{{"class", index}, {"samples", -count}});
    }
    return list;
  }

  std::vector<size_t> samples;
  std::vector<Answer> answers;
  std::optional<double> value;
  double seconds = 0;
};

/// Calls Python after each sample. An exception of the callback cancels the evaluation.
void showProgress(const std::shared_ptr<RunJob> &job, const py::object &progress) {
  if (progress.is_none()) {
    return;
  }
  job->kept.add(progress);
  // A pointer: the options must not own the job that owns them.
  job->options.progress = [job = job.get(), callback = progress.ptr()](size_t done, size_t total) {
    if (*job->isCanceled) {
      return;
    }
    py::gil_scoped_acquire lock;
    try {
      (py::handle(callback))("run", done, total);
    } catch (py::error_already_set &error) {
      job->progressError = std::move(error);
      *job->isCanceled = true;
    }
  };
}

} // namespace

std::string runData(const BuildRequest &request, const py::dict &data, int64_t top, int64_t threads,
                    const std::string &metric, const py::object &progress) {
  Problems problems;
  auto job = std::make_shared<RunJob>(request.complete(Emit::Memory, problems));
  std::shared_ptr<const io::Dataset> samples =
      openData(data, job->wanted, request, "--data", problems);
  if (problems.hasErrors()) {
    raiseProblems(problems);
  }
  job->problems = problems;
  job->data = cancelable(samples, job->isCanceled);
  job->metric = metric;
  job->options.topK = top;
  // Each thread runs its own inference, which is faster than several threads on one inference.
  job->options.threads =
      threads > 0 ? threads : llvm::hardware_concurrency().compute_thread_count();
  job->wanted.request.schedule.threads = 1;
  showProgress(job, progress);
  runInterruptibly([job] { job->run(); }, [job] { *job->isCanceled = true; });
  if (job->progressError) {
    py::error_already_set error = std::move(*job->progressError);
    job->progressError.reset();
    throw std::move(error);
  }
  if (job->problems.hasErrors()) {
    raiseProblems(job->problems);
  }
  return llvm::formatv("{0}", llvm::json::Value(job->json())).str();
}

} // namespace convoy::python
