// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check, explain and inspect: what the compiler does with a model.

#include "../runtime/Interruptible.h"
#include "DataSets.h"
#include "DatumConversion.h"
#include "Driver/AddProblem.h"
#include "Driver/Backends/Device/PlacementText.h"
#include "Driver/ExplainKernels.h"
#include "Driver/InspectFile.h"
#include "Driver/InspectLibrary.h"
#include "Driver/ResolveTarget.h"
#include "Driver/TensorConversion.h"
#include "Verbs.h"
#include "check/GoldenCase.h"
#include "check/ReportJson.h"
#include "io/InputData.h"
#include "report/Explanations.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::python {
namespace {

std::string textOf(llvm::json::Value value) { return llvm::formatv("{0}", value).str(); }

/// Adds a case for each golden folder, or one case of given and random inputs.
void addCases(const Model &model, driver::NamedData given, const std::vector<std::string> &goldens,
              check::CheckRequest &request, Problems &problems) {
  for (const std::string &folder : goldens) {
    llvm::Expected<check::CheckCase> test = check::readGoldenCase(folder, model);
    if (test) {
      request.cases.push_back(std::move(*test));
    } else {
      addError(problems, withPrefix("--golden: ", test.takeError()));
    }
  }
  if (goldens.empty()) {
    check::CheckCase test{given.empty() ? "random" : "given", {}, {}};
    std::vector<io::InputInfo> random;
    for (io::InputInfo &input : io::dataInputs(model, request.compile.inputs)) {
      if (!given.count(input.name)) {
        random.push_back(std::move(input));
      }
    }
    test.inputs = io::readInputs({}, random, /*isRandomByDefault=*/true, problems);
    test.inputs.merge(given);
    request.cases.push_back(std::move(test));
  }
}

/// Adds a case for each sample of a data set. The reference computes the outputs.
void addSamples(const io::Dataset &data, check::CheckRequest &request, Problems &problems) {
  for (size_t i = 0; i < data.size() && !problems.hasErrors(); ++i) {
    Result<NamedTensors> sample = data.read(i);
    problems.append(sample.problems());
    if (!sample) {
      return;
    }
    check::CheckCase test{data.nameOf(i), {}, {}};
    for (const auto &[name, tensor] : *sample) {
      test.inputs[name] = llvm::cantFail(driver::toTensor(tensor));
    }
    request.cases.push_back(std::move(test));
  }
}

llvm::json::Object explainDevice(const ModelRequest &wanted, Problems &problems) {
  Result<driver::Explanation> explanation = driver::explainModel(wanted.model, wanted.request);
  problems.append(explanation.problems());
  if (!explanation) {
    return {};
  }
  if (std::optional<Problem> problem =
          driver::unusedDevice(explanation->placement, wanted.request)) {
    problems.add(std::move(*problem));
  }
  return report::explanationToJson(wanted.model.name(), *explanation, problems);
}

llvm::json::Object explainCpu(const ModelRequest &wanted, Problems &problems) {
  Result<CompileReport> kernels = driver::explainKernels(wanted.model, wanted.request);
  problems.append(kernels.problems());
  return kernels ? report::kernelsToJson(wanted.model.name(), *kernels, problems)
                 : llvm::json::Object();
}

/// Runs `work` interruptibly and returns its JSON; throws its problems.
std::string runVerb(Problems problems, std::function<llvm::json::Object(Problems &)> work) {
  struct Job {
    Problems problems;
    std::string json;
  };
  auto job = std::make_shared<Job>();
  job->problems = std::move(problems);
  runInterruptibly([job, work = std::move(work)] { job->json = textOf(work(job->problems)); });
  if (job->problems.hasErrors()) {
    raiseProblems(job->problems);
  }
  return job->json;
}

} // namespace

std::string check(const BuildRequest &request, const std::vector<std::string> &targets,
                  const py::dict &inputs, const std::vector<std::string> &goldens,
                  const py::object &data, bool isExact, bool hasLayers) {
  Problems problems;
  ModelRequest wanted = request.complete(Emit::Memory, problems);
  check::CheckRequest checked;
  checked.compile = wanted.request;
  checked.targets = targets;
  checked.isGolden = !goldens.empty();
  checked.isExact = isExact;
  checked.hasLayers = hasLayers;
  checked.openMeasurements = request.records();
  if (data.is_none()) {
    addCases(wanted.model, toNamedData(inputs), goldens, checked, problems);
  } else if (auto samples = openData(data, wanted, request, "--data", problems)) {
    addSamples(*samples, checked, problems);
  }
  if (problems.hasErrors()) {
    raiseProblems(problems);
  }
  return runVerb(problems, [model = wanted.model, checked](Problems &found) {
    check::CheckReport report = check::checkModel(model, checked);
    found.append(report.problems);
    report.problems = found;
    return check::toJson(report, model.name(), checked.isGolden, checked.hasLayers);
  });
}

std::string explain(const BuildRequest &request) {
  Problems problems;
  ModelRequest wanted = request.complete(Emit::Memory, problems);
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(wanted.request.target, /*isForMemory=*/true);
  bool hasDevice = target && target->device;
  if (!target) {
    llvm::consumeError(target.takeError()); // the work reports it
  }
  return runVerb(problems, [wanted, hasDevice](Problems &found) {
    return hasDevice ? explainDevice(wanted, found) : explainCpu(wanted, found);
  });
}

std::string inspect(const BuildRequest &request, const std::string &path) {
  if (driver::isLibrary(path) || driver::hasInspector(path)) {
    llvm::Expected<driver::InspectedFile> file = driver::isLibrary(path)
                                                     ? driver::inspectLibrary(path)
                                                     : driver::inspectFile(path, /*config=*/"");
    if (!file) {
      Problems problems;
      addError(problems, file.takeError());
      raiseProblems(problems);
    }
    return textOf(file->json);
  }
  Problems problems;
  ModelRequest wanted = request.complete(Emit::Memory, problems);
  return runVerb(problems, [wanted, bytes = request.fileBytes()](Problems &found) {
    driver::InspectedModel facts = driver::inspectModel(wanted.model, wanted.request.inputs, found);
    return report::inspectedToJson(wanted.model.name(), bytes, facts);
  });
}

} // namespace convoy::python
