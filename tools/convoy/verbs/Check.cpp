// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy check`: reads the cases from flags and prints the report of check/CheckModel.h as
// text or JSON.

#include "Driver/AddProblem.h"
#include "Driver/TensorConversion.h"
#include "check/CheckModel.h"
#include "check/GoldenCase.h"
#include "check/ReportJson.h"
#include "io/UserConfig.h"
#include "tools/convoy/Request.h"
#include "tools/convoy/Verbs.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/output/PrintSummary.h"
#include "tools/convoy/output/Progress.h"
#include "llvm/Support/FileSystem.h"
#include <set>

namespace convoy::tool {
namespace {

namespace fs = llvm::sys::fs;

// The reference interprets the model, so that a default of all samples would take hours.
constexpr int64_t kDefaultSamples = 10;

/// Returns the folders with a case: `folder` itself, or its subfolders.
std::vector<std::string> caseFolders(llvm::StringRef folder) {
  auto isCase = [](const llvm::Twine &path) { return fs::exists(path + "/output_0.pb"); };
  std::vector<std::string> result;
  std::error_code error;
  if (!isCase(folder)) {
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (isCase(it->path())) {
        result.push_back(it->path());
      }
    }
  }
  llvm::sort(result);
  return result.empty() ? std::vector<std::string>{folder.str()} : result;
}

void readGoldens(const CheckFlags &options, const Model &model, check::CheckRequest &request,
                 Problems &problems) {
  for (const std::string &golden : options.goldens) {
    for (const std::string &folder : caseFolders(golden)) {
      llvm::Expected<check::CheckCase> test = check::readGoldenCase(folder, model);
      if (test) {
        request.cases.push_back(std::move(*test));
      } else {
        addError(problems, withPrefix("--golden: ", test.takeError()));
      }
    }
  }
}

/// Adds a case of given or random inputs. The reference computes its outputs.
void readInputCase(const CheckFlags &options, const Model &model, check::CheckRequest &request,
                   Problems &problems) {
  check::CheckCase test{options.inputs.empty() ? "random" : "given", {}, {}};
  test.inputs = io::readInputs({options.inputs, options.build.image},
                               io::dataInputs(model, request.compile.inputs),
                               /*isRandomByDefault=*/true, problems);
  request.cases.push_back(std::move(test));
}

/// Adds a case for each sample of --data. The reference computes the outputs.
void readDataCases(const CheckFlags &options, const Request &read, check::CheckRequest &request,
                   Problems &problems) {
  if (!options.inputs.empty() || !options.goldens.empty()) {
    addError(problems, "--data cannot be combined with --input or --golden");
    return;
  }
  io::DatasetFlags flags = options.data;
  flags.samples = flags.samples > 0 ? flags.samples : kDefaultSamples;
  std::shared_ptr<const io::Dataset> data = openData(flags, options.build, read, problems);
  for (size_t i = 0; data && i < data->size(); ++i) {
    Result<NamedTensors> sample = data->read(i);
    problems.append(sample.problems());
    if (!sample) {
      return;
    }
    check::CheckCase test{data->nameOf(i), {}, {}};
    for (const auto &[name, tensor] : *sample) {
      test.inputs[name] = llvm::cantFail(driver::toTensor(tensor));
    }
    request.cases.push_back(std::move(test));
  }
}

void readCases(const CheckFlags &options, const Request &read, check::CheckRequest &request,
               Problems &problems) {
  if (!options.data.data.empty()) {
    readDataCases(options, read, request, problems);
  } else if (options.data.samples > 0) {
    addError(problems, "--samples needs a data set; add --data DATA");
  } else if (request.isGolden) {
    readGoldens(options, read.model, request, problems);
  } else {
    readInputCase(options, read.model, request, problems);
  }
}

/// Prints a report as text or JSON.
class ReportPrinter {
public:
  ReportPrinter(const CheckFlags &options, std::string model, const check::CheckReport &report,
                bool isQuiet)
      : options(options), model(std::move(model)), report(report), isQuiet(isQuiet) {}

  void printText(llvm::raw_ostream &os) const {
    printComparisons(os);
    for (const check::Finding &finding : report.findings) {
      os << finding.fault.text() << "\n";
    }
    for (const check::LayerError &layer : report.layers) {
      os << "layer " << layer.node << ": " << layer.differing << " of " << layer.elements
         << " elements differ from ONNX's arithmetic, at most " << layer.maxSteps << " steps\n";
    }
    if (report.problems.hasErrors()) {
      os << "check of " << options.build.model.path << " not completed\n";
      return;
    }
    if (isQuiet) {
      return;
    }
    size_t wrong = report.wrongCount(), all = report.comparisons.size();
    os << "check of " << model << (wrong ? " FAILED: " : " passed: ") << all - wrong << " of "
       << all << " outputs agree with " << check::baselineOf(isGolden()) << "\n";
    printVerdicts(os);
  }

  llvm::json::Object toJson() const {
    return check::toJson(report, model, isGolden(), options.hasLayers);
  }

private:
  bool isGolden() const { return !options.goldens.empty(); }

  /// Prints one verdict per device. A device has one summary per case.
  void printVerdicts(llvm::raw_ostream &os) const {
    std::set<std::string> devices;
    for (const CompileReport &summary : report.built) {
      if (devices.insert(summary.placement.device).second) {
        printVerdict(os, summary.placement);
      }
    }
  }

  void printComparisons(llvm::raw_ostream &os) const {
    std::string rule;
    for (const check::Comparison &c : report.comparisons) {
      if (isQuiet && c.verdict.isRight) {
        continue;
      }
      if (c.rule != rule) {
        os << "rule: " << c.rule << "\n";
        rule = c.rule;
      }
      os << (c.verdict.isRight ? "ok    " : "WRONG ") << c.target << " " << c.caseName << " '"
         << c.output << "': " << c.verdict.text << "\n";
    }
  }

  const CheckFlags &options;
  std::string model;
  const check::CheckReport &report;
  bool isQuiet; // print wrong outputs only
};

} // namespace

ExitCode check(const CheckFlags &options, Console &console) {
  Problems problems;
  Progress progress(console, 1 + static_cast<int>(options.targets.size()));
  progress.begin("read");
  BuildFlags build = options.build;
  build.target = options.targets.front();
  build.records.clear(); // checkModel opens the records of each target
  std::optional<Request> read = readRequest(build, Emit::Memory, problems);
  check::CheckRequest request;
  if (read) {
    request.compile = read->compile;
    for (const std::string &target : options.targets) {
      request.targets.push_back(io::permittedTarget(target, options.build.allowsToolchain));
    }
    request.isGolden = !options.goldens.empty();
    request.isExact = options.isExact;
    request.hasLayers = options.hasLayers;
    request.injected = read->injected;
    request.openMeasurements = recordsOf(options.build);
    request.progress = [&](llvm::StringRef step) { progress.begin(step); };
    readCases(options, *read, request, problems);
  }
  check::CheckReport report;
  if (!problems.hasErrors()) {
    report = check::checkModel(read->model, request);
  }
  problems.append(report.problems);
  report.problems = std::move(problems);
  progress.end();
  print(console.err, report.problems);
  ReportPrinter printer(options, read ? read->model.name() : "", report, console.isQuiet);
  ExitCode printed = printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, printer.toJson()); },
      [&](llvm::raw_ostream &os) { printer.printText(os); }, console);
  if (report.problems.hasErrors() || printed != kDone) {
    return report.problems.hasErrors() ? exitCodeOf(report.problems) : printed;
  }
  // A difference from the reference is a bug of the compiler. A difference from golden data
  // can be an error in the data.
  return report.wrongCount() == 0 ? kDone : request.isGolden ? kUserError : kBug;
}

} // namespace convoy::tool
