// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy run --data`: evaluates a model on the samples of a data set and prints its accuracy, or
// its most frequent answers if the data set has no labels.

#include "tools/convoy/verbs/RunData.h"
#include "Driver/AddProblem.h"
#include "io/PreprocessHint.h"
#include "quantizer/evaluate/MetricCommand.h"
#include "report/Built.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/Progress.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Threading.h"
#include <map>
#include <numeric>

namespace convoy::tool {
namespace {

constexpr int64_t kDefaultTop = 5;
constexpr size_t kShownAnswers = 10;
constexpr double kProgressSeconds = 0.1; // between two changes of the progress line

using quantizer::Answer;

/// A class and the number of samples for which the model answers it.
struct ClassCount {
  int64_t index;
  size_t count;
};

/// Returns the classes of the answers, the most frequent first; of equal ones, by index.
std::vector<ClassCount> countClasses(const std::vector<Answer> &answers) {
  std::map<int64_t, size_t> counts;
  for (const Answer &answer : answers) {
    if (!answer.isNaN) {
      ++counts[answer.top];
    }
  }
  std::vector<ClassCount> classes;
  for (auto [index, count] : counts) {
    classes.push_back({index, count});
  }
  llvm::sort(classes, [](const ClassCount &a, const ClassCount &b) {
    return std::pair(b.count, a.index) < std::pair(a.count, b.index);
  });
  return classes;
}

double percent(size_t part, size_t all) {
  return all ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0;
}

class DataRunner {
public:
  DataRunner(const RunFlags &options, Console &console)
      : options(options), console(console), progress(console),
        top(options.top > 0 ? options.top : kDefaultTop) {}

  ExitCode run() {
    bool isDone = prepare() && evaluate();
    progress.end();
    if (!isDone) {
      return fail(problems, console);
    }
    print(console.err, problems);
    return printResult(
        options.json, [&](llvm::raw_ostream &os) { printJson(os, toJson()); },
        [&](llvm::raw_ostream &os) { printText(os); }, console);
  }

private:
  bool prepare() {
    for (auto [isGiven, flag] : {std::pair(!options.inputs.empty(), "--input"),
                                 {!options.classNames.empty(), "--class-names"},
                                 {!options.output.empty(), "--output"},
                                 {!options.trace.empty(), "--trace"},
                                 {!options.build.faults.faults.empty(), "--inject"}}) {
      if (isGiven) {
        addError(problems,
                 llvm::Twine(flag) + " is for one inference and cannot be combined with --data");
      }
    }
    progress.begin("read");
    request = readRequest(options.build, Emit::Memory, problems);
    if (request && !problems.hasErrors()) {
      data = openData(options.data, options.build, *request, problems);
    }
    if (data && data->size() > 0 && io::hasImageName(data->nameOf(0))) {
      addWarning(problems, io::preprocessHint(request->model, data->flags().image));
    }
    return !problems.hasErrors();
  }

  bool evaluate() {
    samples.resize(data->size());
    std::iota(samples.begin(), samples.end(), 0);
    quantizer::EvaluateOptions evaluation;
    evaluation.topK = top;
    evaluation.threads = jobsOrCores(options.jobs);
    evaluation.progress = [this](size_t done, size_t total) { showRate(done, total); };
    quantizer::MetricCommand command(options.metric);
    if (!options.metric.empty()) {
      addError(problems, command.collect(evaluation, samples.size()));
    }
    progress.begin("run");
    Workflow workflow =
        Workflow(request->model).with([&](CompileRequest &compile) { compile = request->compile; });
    Result<std::vector<Answer>> result = quantizer::evaluate(workflow, *data, samples, evaluation);
    seconds = progress.seconds();
    problems.append(result.problems());
    if (!result || problems.hasErrors()) {
      return false;
    }
    answers = std::move(*result);
    return options.metric.empty() || computeMetric(command);
  }

  bool computeMetric(quantizer::MetricCommand &command) {
    progress.begin("metric");
    llvm::Expected<double> value = command.run(*data, samples);
    if (!value) {
      addError(problems, value.takeError());
      return false;
    }
    metric = *value;
    return true;
  }

  void showRate(size_t done, size_t total) {
    double now = progress.seconds();
    if (now - shownAt < kProgressSeconds && done < total) {
      return;
    }
    shownAt = now;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "run " << done << " of " << total << " samples, "
       << llvm::format("%.0f", static_cast<double>(done) / now) << " samples/s";
    progress.show(text);
  }

  double rate() const { return seconds > 0 ? static_cast<double>(samples.size()) / seconds : 0; }

  void printText(llvm::raw_ostream &os) const {
    if (data->hasLabels()) {
      quantizer::Accuracy accuracy = quantizer::accuracyOf(answers);
      os << llvm::format("top 1: %.2f %%", percent(accuracy.right, accuracy.samples)) << " ("
         << accuracy.right << " of " << accuracy.samples << ")\n"
         << "top " << top
         << llvm::format(": %.2f %%", percent(accuracy.rightInTopK, accuracy.samples)) << " ("
         << accuracy.rightInTopK << " of " << accuracy.samples << ")\n";
    } else {
      std::vector<ClassCount> classes = countClasses(answers);
      for (const ClassCount &row : llvm::ArrayRef(classes).take_front(kShownAnswers)) {
        os << "class " << row.index << ": " << row.count << " of " << answers.size() << " samples ("
           << llvm::format("%.2f %%", percent(row.count, answers.size())) << ")\n";
      }
      if (classes.size() > kShownAnswers) {
        os << classes.size() - kShownAnswers << " more classes\n";
      }
    }
    if (metric) {
      os << "metric: " << llvm::format("%g", *metric) << "\n";
    }
    console.summary() << "ran " << request->model.name() << " on " << targetName() << ": "
                      << samples.size() << " samples in " << durationText(seconds) << ", "
                      << llvm::format("%.0f", rate()) << " samples/s\n";
  }

  llvm::StringRef targetName() const {
    return llvm::StringRef(request->compile.target.name).split(':').first;
  }

  llvm::json::Object toJson() const {
    llvm::json::Array classes;
    for (const ClassCount &row : countClasses(answers)) {
      classes.push_back(
          llvm::json::Object{{"class", row.index}, {"samples", static_cast<int64_t>(row.count)}});
    }
    llvm::json::Object object{{"model", llvm::json::fixUTF8(request->model.name())},
                              {"target", targetName()},
                              {"data", llvm::json::fixUTF8(options.data.data)},
                              {"data_hash", io::contentHash(*data, samples)},
                              {"samples", static_cast<int64_t>(samples.size())},
                              {"seconds", seconds},
                              {"samples_per_second", rate()},
                              {"answers", std::move(classes)},
                              {"warnings", warningsToJson(problems)}};
    if (data->hasLabels()) {
      quantizer::Accuracy accuracy = quantizer::accuracyOf(answers);
      object["accuracy"] =
          llvm::json::Object{{"right", static_cast<int64_t>(accuracy.right)},
                             {"top_1", accuracy.top1()},
                             {"k", top},
                             {"right_in_top_k", static_cast<int64_t>(accuracy.rightInTopK)}};
    }
    if (metric) {
      object["metric"] = *metric;
    }
    return object;
  }

  const RunFlags &options;
  Console &console;
  Progress progress;
  int64_t top;
  Problems problems;
  std::optional<Request> request;
  std::shared_ptr<const io::Dataset> data;
  std::vector<size_t> samples;
  std::vector<Answer> answers;
  std::optional<double> metric;
  double seconds = 0, shownAt = 0;
};

} // namespace

ExitCode runData(const RunFlags &options, Console &console) {
  return DataRunner(options, console).run();
}

} // namespace convoy::tool
