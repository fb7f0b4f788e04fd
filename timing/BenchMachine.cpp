// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles each model to a library and times it in a process that knows nothing of the compiler;
// with a peer, in turn with the peer.

#include "Driver/AddProblem.h"
#include "Support/OutputFile.h"
#include "Support/TemporaryFolder.h"
#include "report/TraceFile.h"
#include "timing/Bench.h"
#include "timing/BenchModel.h"
#include "timing/TraceModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <sched.h>

namespace convoy::timing {
namespace {

/// Cores that this process may use.
int64_t usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

class MachineBench : public Bench {
public:
  using Bench::Bench;

  Emit emit() const override { return Emit::Library; }

  Problems check() override {
    Problems problems;
    if (refuseReport(problems)) {
      return problems;
    }
    checkThreads(problems);
    checkCombinations(problems);
    if (!options.trace.empty()) {
      addError(problems, report::checkTraceFile(options.trace));
    }
    if (options.isHot && !options.hasLayers) {
      addError(problems, "--hot measures kernels and needs --layers");
    }
    std::string reason = target.backend->whyNotNative(target);
    if (!reason.empty()) {
      addError(problems, "--target " + target.requested + " cannot be measured here: " + reason);
    }
    findPeer(problems);
    return problems;
  }

  llvm::Error prepare() override {
    setup.folder = options.folder;
    if (options.folder.empty()) {
      if (llvm::Error error = scratch.createInSystem()) {
        return error;
      }
      setup.folder = scratch.path().str();
    } else if (llvm::Error error = createFolder(options.folder)) {
      return withPrefix("--output: ", std::move(error));
    }
    llvm::Expected<std::string> program = options.findProgram();
    if (!program) {
      return program.takeError();
    }
    setup.measureProgram = MeasureProgram(std::move(*program), setup.folder);
    setup.measureProgram.isInterrupted = options.isInterrupted;
    llvm::Expected<PeakLibrary> peak = writePeakLibrary(target.machine, setup.folder);
    if (!peak) {
      return peak.takeError();
    }
    setup.peak = std::move(*peak);
    return llvm::Error::success();
  }

  Problems build(BenchCase next) override {
    current = std::move(next);
    model.emplace(*current, options, setup);
    return model->build();
  }

  Problems measure() override {
    Problems problems;
    if (options.hasLayers) {
      keep(model->measureLayers(), layerReports, problems);
    } else if (keep(model->measure(), rows, problems) && !options.trace.empty()) {
      trace(problems);
    }
    return problems;
  }

  llvm::Error writeFiles() const override {
    std::vector<report::TraceProcess> processes;
    for (const ModelTrace &trace : traces) {
      processes.push_back(trace.process);
    }
    return traces.empty() ? llvm::Error::success() : report::writeTrace(options.trace, processes);
  }

  std::string json() const override {
    return options.hasLayers ? toJson(layerReports) : toJson(rows);
  }

  void print(llvm::raw_ostream &os, llvm::raw_ostream &summary) const override {
    for (const LayerReport &layers : layerReports) {
      printLayers(os, layers);
    }
    if (!rows.empty()) {
      printTable(os, rows);
      printDistributions(os, rows);
    }
    for (const ModelTrace &trace : traces) {
      summary << traceSummary(options.trace, trace);
    }
  }

  Problems judge() const override {
    Problems problems = warningsOf(rows);
    for (const BenchRow &row : rows) {
      if (!row.isRight()) {
        addError(problems, wrongResult(row));
      }
    }
    return problems;
  }

private:
  void checkThreads(Problems &problems) const {
    int64_t cores = usableCores();
    for (int64_t threads : options.threads) {
      if (threads > cores) {
        addError(problems, "--threads " + llvm::Twine(threads) +
                               ": each thread is pinned to a separate core, and this process may "
                               "use " +
                               llvm::Twine(cores));
      }
    }
    bool isParallel = llvm::any_of(options.threads, [](int64_t count) { return count > 1; });
    if (options.hasKernelTimes && !isParallel) {
      addError(problems, "--kernel-times expects several threads, got one; add --threads=N");
    }
  }

  void checkCombinations(Problems &problems) const {
    std::string got = ", got " + std::to_string(options.models) + " models";
    bool isAlone = options.models == 1;
    std::pair<bool, std::string> rules[] = {
        {options.hasLayers && options.hasPeer,
         "--layers measures kernels of the compiled model and cannot be combined with --baseline"},
        {options.hasLayers && (options.streams > 0 || !options.trace.empty()),
         "--layers measures each kernel and cannot be combined with --streams or --trace"},
        {options.hasInputs && !isAlone, "--input is the data of one model" + got},
        {options.hasData && (!isAlone || options.hasInputs),
         "--data is the data of one model and cannot be combined with --input" + got}};
    for (const auto &[isBroken, text] : rules) {
      if (isBroken) {
        addError(problems, text);
      }
    }
  }

  void findPeer(Problems &problems) {
    setup.peerLibrary = options.peerLibrary;
    if (!options.hasPeer && !options.peerLibrary.empty()) {
      addError(problems, "--baseline-library needs --baseline onnxruntime");
    } else if (!options.peerLibrary.empty() && !llvm::sys::fs::exists(options.peerLibrary)) {
      addError(problems, "--baseline-library: there is no file '" + options.peerLibrary + "'");
    } else if (options.hasPeer && options.peerLibrary.empty()) {
      llvm::Expected<std::string> found = findOnnxRuntime(peersFolder());
      if (found) {
        setup.peerLibrary = std::move(*found);
      } else {
        addError(problems, found.takeError());
      }
    }
  }

  /// Traces the model in turn with the library that was measured.
  void trace(Problems &problems) {
    TraceRequest wanted{current->compile, options.samples, current->inputs, &model->library()};
    Result<ModelTrace> traced =
        traceModel(current->model, wanted, setup.measureProgram, setup.folder);
    problems.append(traced.problems());
    if (traced) {
      traces.push_back(std::move(*traced));
    }
  }

  template <typename Row>
  bool keep(llvm::Expected<Row> row, std::vector<Row> &list, Problems &problems) {
    if (!row) {
      std::string start = current->path.empty() ? "" : current->path + ": ";
      addError(problems, withPrefix(start, row.takeError()));
      return false;
    }
    list.push_back(std::move(*row));
    return true;
  }

  BenchSetup setup;
  TemporaryFolder scratch; // for the libraries unless the options name a folder
  std::optional<BenchModel> model;
  std::vector<BenchRow> rows;
  std::vector<LayerReport> layerReports;
  std::vector<ModelTrace> traces;
};

} // namespace

std::unique_ptr<Bench> benchMachine(const BenchOptions &options,
                                    const driver::ResolvedTarget &target) {
  return std::make_unique<MachineBench>(options, target);
}

} // namespace convoy::timing
