// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy run`: one model, one set of inputs, its outputs.

#include "Calibration.h"
#include "Files.h"
#include "InputData.h"
#include "Plant.h"
#include "Progress.h"
#include "Results.h"
#include "Verbs.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// A run, step by step; each step may leave errors in the session's log.
class Runner {
public:
  Runner(const RunOptions &options, Console &console)
      : options(options), console(console), progress(console, 4) {}

  ExitCode run() {
    bool isDone = succeeded(prepare()) && succeeded(execute());
    progress.end();
    session.log().print(console.err);
    return isDone ? report() : session.log().failureCode(console.err);
  }

private:
  LogicalResult prepare() {
    DiagnosticLog &log = session.log();
    llvm::Expected<std::unique_ptr<Target>> found = findTarget(options.target);
    if (found) {
      target = std::move(*found);
    } else {
      log.addError("--target: " + llvm::toString(found.takeError()));
    }
    readLabels();
    llvm::Expected<PassHook> plants = loadPlants(options.plants);
    if (plants) {
      instrument = std::move(*plants);
    } else {
      log.add(plants.takeError());
    }
    progress.begin("read");
    llvm::Expected<import::Model> read = import::readModel(options.model.path);
    if (!read) {
      log.add(read.takeError());
      return failure();
    }
    model = std::move(*read);
    importOptions = readModelFlags(options.model, model, log);
    data = readInputs(options.input, dataInputs(model, importOptions),
                      /*isRandomByDefault=*/false, log);
    pinShapes(importOptions, data);
    return failure(log.hasErrors());
  }

  void readLabels() {
    if (options.labels.empty()) {
      return;
    }
    llvm::Expected<std::vector<std::string>> lines = driver::readLines(options.labels);
    if (lines) {
      labels = std::move(*lines);
    } else {
      session.log().addError("--labels: " + llvm::toString(lines.takeError()));
    }
  }

  LogicalResult execute() {
    progress.begin("import");
    importOptions.allowDynamicInputs = target->allowsDynamicShapes();
    OwningOpRef<ModuleOp> module =
        importCalibrated(session, model, importOptions, options.calibrate, options.input.image);
    if (!module) {
      return failure();
    }
    progress.begin("compile");
    if (failed(session.compile(std::move(module), *target,
                               TargetOptions{options.threads, instrument, options.math == "strict",
                                             options.integer == "on"}))) {
      return failure();
    }
    progress.begin("run");
    FailureOr<std::vector<Datum>> values = session.run(data);
    seconds = progress.seconds();
    if (failed(values)) {
      return failure();
    }
    for (auto [i, value] : llvm::enumerate(*values)) {
      outputs.push_back({session.outputNames()[i], std::move(value)});
    }
    return success();
  }

  ExitCode report() {
    std::vector<std::string> files;
    if (!options.output.empty()) {
      llvm::Expected<std::vector<std::string>> written =
          writeOutputs(options.output, options.format, outputs);
      if (!written) {
        session.log().clear();
        session.log().add(written.takeError());
        session.log().print(console.err);
        return session.log().exitCode();
      }
      files = std::move(*written);
    }
    int64_t top = options.top > 0 ? options.top : labels.empty() ? 0 : 5;
    if (options.isJson) {
      printJson(top, files);
    } else {
      printOutputs(console.out, outputs, top, labels);
      for (const std::string &file : files) {
        console.out << "wrote " << file << "\n";
      }
      console.out << "ran " << model.name << " on " << target->name() << " in "
                  << durationText(seconds) << "\n";
    }
    return kDone;
  }

  void printJson(int64_t top, const std::vector<std::string> &files) {
    llvm::json::Object object{{"model", llvm::json::fixUTF8(model.name)},
                              {"target", target->name()},
                              {"seconds", seconds},
                              {"outputs", outputsToJson(outputs, top, labels)},
                              {"files", llvm::json::Array(files)}};
    console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
  }

  const RunOptions &options;
  Console &console;
  Progress progress;
  Session session;
  std::unique_ptr<Target> target;
  import::Model model;
  import::ImportOptions importOptions;
  NamedData data;
  std::vector<std::string> labels;
  std::vector<NamedOutput> outputs;
  PassHook instrument;
  double seconds = 0;
};

} // namespace

ExitCode run(const RunOptions &options, Console &console) { return Runner(options, console).run(); }

} // namespace convoy::driver
