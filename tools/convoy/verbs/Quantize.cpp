// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy quantize`: opens the data sets, calls quantizer/QuantizeModel.h, writes the model, the
// plan and the page, and prints the accuracy bound or what the data cannot prove.

#include "Driver/AddProblem.h"
#include "Driver/ResolveTarget.h"
#include "Support/PercentText.h"
#include "io/Files.h"
#include "io/ModelFlags.h"
#include "quantizer/QuantizedFiles.h"
#include "quantizer/report/Page.h"
#include "quantizer/report/ResultText.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/Progress.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

namespace convoy::tool {
namespace {

using quantizer::QuantizeResult;

// prepare, check data, observe, observe products, fit weights, rank tensors, select, prove, write
constexpr int kSteps = 9;

/// Returns the ledger of --ledger, or the default in the home folder.
std::string ledgerPath(const std::string &given) {
  const char *home = std::getenv("HOME");
  return !given.empty() ? given
                        : (home ? std::string(home) + "/" : "") + ".config/convoy/proofs.json";
}

/// Shows the step and, inside a step, the finished samples and their rate.
class StepProgress {
public:
  explicit StepProgress(Progress &progress) : progress(progress) {}

  void operator()(const std::string &step, size_t done, size_t total) {
    if (step != current) {
      current = step;
      progress.begin(step);
    }
    if (total > 0) {
      double seconds = progress.seconds();
      progress.show(llvm::formatv("{0}: {1} of {2}, {3:f0} per second", step, done, total,
                                  seconds > 0 ? static_cast<double>(done) / seconds : 0.0)
                        .str());
    }
  }

private:
  Progress &progress;
  std::string current;
};

class Quantizer {
public:
  Quantizer(const QuantizeFlags &flags, Console &console)
      : flags(flags), console(console), progress(console, kSteps) {}

  ExitCode run() {
    bool isDone = read() && quantize();
    progress.end();
    if (!isDone) {
      return fail(problems, console);
    }
    bool isWritten = !flags.options.proves || result->proof.isPromised || flags.allowsUnproven;
    if (isWritten) {
      writeFiles();
    } else {
      addError(problems, quantizer::refusalText(*result, flags.options.maxDrop));
    }
    if (problems.hasErrors()) {
      return fail(problems, console);
    }
    print(console.err, problems);
    return printResult(
        flags.json, [&](llvm::raw_ostream &os) { printJson(os, toJson()); },
        [&](llvm::raw_ostream &) { printText(console.summary()); }, console);
  }

private:
  bool read() {
    checkTarget();
    makeFolder("--output", outputFile());
    makeFolder("--report", flags.report);
    makeFolder("--ledger", flags.options.ledger);
    Result<Model> model = Model::read(flags.build.model.path);
    problems.append(model.problems());
    if (!model) {
      return false;
    }
    request.emplace(quantizer::QuantizeRequest{*model, {}, {}, {}, {}, flags.options, {}});
    request->options.ledger = ledgerPath(flags.options.ledger);
    request->options.threads = jobsOrCores(flags.options.threads);
    request->options.target.name = flags.build.target;
    request->options.target.cpu = flags.build.cpu;
    request->pins = io::readModelFlags(flags.build.model, *model, problems);
    readPlan();
    if (problems.hasErrors()) {
      return false;
    }
    request->data = open(flags.data, "--data");
    if (!flags.calibrationData.empty()) {
      io::DatasetFlags calibration;
      calibration.data = flags.calibrationData;
      request->calibration = open(calibration, "--calibration-data");
    }
    return !problems.hasErrors();
  }

  /// Returns the file of --output: the path itself if it ends in .onnx, else a file in the folder.
  std::string outputFile() const {
    llvm::StringRef output = flags.output;
    if (output.empty() || output.ends_with(".onnx")) {
      return flags.output;
    }
    llvm::SmallString<256> file(output);
    llvm::sys::path::append(file, llvm::sys::path::stem(flags.build.model.path) + "-int8.onnx");
    return std::string(file);
  }

  /// Creates the folder of a file early, so that an error appears before a long run.
  void makeFolder(const std::string &flag, const std::string &file) {
    if (file.empty()) {
      return;
    }
    llvm::Error error = createParentFolder(file);
    llvm::StringRef parent = llvm::sys::path::parent_path(file);
    if (!error && !parent.empty() && !llvm::sys::fs::is_directory(parent)) {
      error = cannotWrite(file, std::make_error_code(std::errc::not_a_directory));
    }
    if (error) {
      addError(problems, withPrefix(flag + ": ", std::move(error)));
    }
  }

  /// Checks the name early, so that its error appears before a long run.
  void checkTarget() {
    TargetRequest target;
    target.name = flags.build.target;
    target.cpu = flags.build.cpu;
    if (auto found = driver::resolveTarget(target, /*isForMemory=*/true); !found) {
      std::string text = llvm::toString(found.takeError());
      addError(problems, (llvm::StringRef(text).starts_with("--") ? "" : "--target: ") + text);
    }
  }

  std::shared_ptr<const io::Dataset> open(io::DatasetFlags dataset, const std::string &flag) {
    dataset.image = flags.build.image;
    return io::openDataset(dataset, request->model, request->pins, flag, problems);
  }

  void readPlan() {
    if (flags.plan.empty()) {
      return;
    }
    llvm::Expected<plan::Plan> plan = quantizer::readPlan(flags.plan);
    if (!plan) {
      addError(problems, withPrefix("--plan: ", plan.takeError()));
      return;
    }
    request->plan = std::move(*plan);
  }

  bool quantize() {
    request->progress = StepProgress(progress);
    Result<QuantizeResult> done = quantizer::quantizeModel(*request);
    problems.append(done.problems());
    if (done) {
      result = std::move(*done);
    }
    return result.has_value();
  }

  void writeFiles() {
    std::string output = outputFile();
    if (llvm::Error error = quantizer::writeQuantized(*result, output)) {
      addError(problems, withPrefix("--output: ", std::move(error)));
      return;
    }
    files = {output, quantizer::planPath(output)};
    if (flags.report.empty()) {
      return;
    }
    if (llvm::Error error = io::writeFile(flags.report, quantizer::drawPage(*request, *result))) {
      addError(problems, withPrefix("--report: ", std::move(error)));
      return;
    }
    files.push_back(flags.report);
  }

  llvm::json::Object toJson() const {
    llvm::json::Object object = quantizer::toJson(*result, request->options);
    object["model"] = llvm::json::fixUTF8(request->model.name());
    object["files"] = llvm::json::Array(files);
    object["warnings"] = warningsToJson(problems);
    return object;
  }

  static std::string sizes(const quantizer::TargetCost &cost, int64_t fileBytes) {
    return llvm::formatv("{0:f3} ms, {1} bytes of weights, {2} of workspace, {3} of file",
                         cost.nanoseconds / 1e6, cost.weightsBytes, cost.workspaceBytes, fileBytes)
        .str();
  }

  void printText(llvm::raw_ostream &os) const {
    auto row = [&](const char *title, const std::string &text) {
      os << llvm::formatv("{0,-10} {1}\n", title, text);
    };
    row("accuracy", quantizer::accuracyText(*result));
    row("bound", quantizer::boundText(*result, flags.options.maxDrop));
    row("data", llvm::formatv("{0} samples calibrate, {1} select, {2} prove",
                              result->calibrateSamples, result->selectSamples, result->proveSamples)
                    .str());
    row("float", sizes(result->floatCost, result->floatBytes) + " (predicted for " +
                     flags.build.target + ", one core)");
    row("quantized", sizes(result->quantizedCost, result->quantizedBytes));
    row("weights", llvm::formatv("{0} bytes, {1} in 4 bits", result->weights.bytes,
                                 finePercentText(result->weights.fourBitShare))
                       .str());
    std::vector<plan::ActivationPlan> wide = result->wideActivations();
    row("wide",
        llvm::formatv("{0} of {1} activations", wide.size(), result->plan.activations.size())
            .str());
    for (const plan::ActivationPlan &activation : wide) {
      row("", activation.tensor + ": " + name(activation.type).str() +
                  (activation.reason.empty() ? "" : ", " + activation.reason));
    }
    for (const std::string &file : files) {
      os << "wrote " << file << "\n";
    }
  }

  const QuantizeFlags &flags;
  Console &console;
  Progress progress;
  Problems problems;
  std::optional<quantizer::QuantizeRequest> request;
  std::optional<QuantizeResult> result;
  std::vector<std::string> files;
};

} // namespace

ExitCode quantize(const QuantizeFlags &options, Console &console) {
  return Quantizer(options, console).run();
}

} // namespace convoy::tool
