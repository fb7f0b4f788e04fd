// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy bench`: models in, times out. Each model is compiled to a library and
// measured in a process that knows nothing of the compiler; with a peer, in turn
// with it.

#include "Accelerators/Registry.h"
#include "BenchDevice.h"
#include "BenchMatrix.h"
#include "BenchModel.h"
#include "Files.h"
#include "Progress.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <sched.h>

namespace fs = llvm::sys::fs;

namespace convoy::driver {
namespace {

/// Cores that this process may use.
int64_t usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

class Bench {
public:
  Bench(const BenchOptions &options, Console &console) : options(options), console(console) {}
  ~Bench() {
    if (isTemporary) {
      // Nothing can be done about a folder that will not go.
      [[maybe_unused]] std::error_code error = fs::remove_directories(setup.folder);
    }
  }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  ExitCode run() {
    if (!checkFlags() || !prepare()) {
      return code;
    }
    for (const std::string &model : options.models) {
      for (int64_t threads : options.threads) {
        measure(model, threads);
      }
    }
    report();
    return code;
  }

private:
  bool fail(const llvm::Twine &text) {
    console.err << "error: " << text << "\n";
    code = code == kDone ? kUserError : code;
    return false;
  }

  bool fail(llvm::Error error) { return fail(llvm::toString(std::move(error))); }

  bool checkFlags() {
    int64_t cores = usableCores();
    for (int64_t threads : options.threads) {
      if (threads > cores) {
        fail("--threads " + llvm::Twine(threads) +
             ": each thread is pinned to a core of its own, "
             "and this process may use " +
             llvm::Twine(cores));
      }
    }
    if (options.hasLayers && !options.against.empty()) {
      fail("--layers times kernels of the compiled model; it does not go with --against");
    }
    if (options.isHot && !options.hasLayers) {
      fail("--hot is about kernels; it goes with --layers");
    }
    llvm::Expected<targets::Target> found = targets::findTarget(options.target);
    if (!found) {
      return fail(found.takeError());
    }
    target = std::move(*found);
    std::string problem = targets::whyNotHere(target);
    if (!problem.empty()) {
      fail("--target " + options.target + " cannot be measured here: " + problem);
    }
    findPeer();
    return code == kDone;
  }

  void findPeer() {
    if (options.against.empty() && !options.peerLibrary.empty()) {
      fail("--peer-library goes with --against onnxruntime");
    } else if (!options.peerLibrary.empty()) {
      setup.peerLibrary = options.peerLibrary;
      if (!fs::exists(setup.peerLibrary)) {
        fail("--peer-library: there is no file '" + options.peerLibrary + "'");
      }
    } else if (!options.against.empty()) {
      llvm::Expected<std::string> found = findOnnxRuntime(peersFolder());
      if (found) {
        setup.peerLibrary = std::move(*found);
      } else {
        fail(found.takeError());
      }
    }
  }

  bool prepare() {
    if (options.output.empty()) {
      llvm::SmallString<128> folder;
      if (std::error_code error = fs::createUniqueDirectory("convoy-bench", folder)) {
        return fail("cannot make a temporary folder: " + error.message());
      }
      setup.folder = folder.str().str();
      isTemporary = true;
    } else if (std::error_code error = fs::create_directories(options.output)) {
      return fail("cannot make '" + options.output + "': " + error.message());
    } else {
      setup.folder = options.output;
    }
    llvm::Expected<std::string> program = findMeasureProgram();
    if (!program) {
      return fail(program.takeError());
    }
    setup.measurer = Measurer(std::move(*program), setup.folder);
    llvm::Expected<PeakLibrary> peak = writePeakLibrary(target, setup.folder);
    if (!peak) {
      return fail(peak.takeError());
    }
    setup.peak = std::move(*peak);
    return true;
  }

  void measure(const std::string &path, int64_t threads) {
    BenchModel model(options, setup, path, threads);
    if (ExitCode built = model.build(console); built != kDone) {
      code = code == kDone ? built : code;
      return;
    }
    Progress progress(console, 1);
    progress.begin("measure " + path + ", threads " + std::to_string(threads));
    if (options.hasLayers) {
      llvm::Expected<LayerReport> layers = model.measureLayers();
      if (layers) {
        layerReports.push_back(std::move(*layers));
      } else {
        fail(path + ": " + llvm::toString(layers.takeError()));
      }
      return;
    }
    llvm::Expected<BenchRow> row = model.measure();
    if (!row) {
      fail(path + ": " + llvm::toString(row.takeError()));
      return;
    }
    rows.push_back(std::move(*row));
  }

  void report() {
    for (const LayerReport &layers : layerReports) {
      printLayers(console.out, layers);
    }
    if (!rows.empty()) {
      printTable(console.out, rows);
      printWarnings(console.err, rows);
    }
    for (const BenchRow &row : rows) {
      if (!row.isRight()) {
        fail(wrongResult(row));
      }
    }
    if (!options.json.empty()) {
      if (llvm::Error error =
              writeFile(options.json, options.hasLayers ? toJson(layerReports) : toJson(rows))) {
        fail(std::move(error));
      }
    }
  }

  const BenchOptions &options;
  Console &console;
  ExitCode code = kDone;
  targets::Target target;
  BenchSetup setup;
  bool isTemporary = false;
  std::vector<BenchRow> rows;
  std::vector<LayerReport> layerReports;
};

} // namespace

ExitCode bench(const BenchOptions &options, Console &console) {
  if (options.matrix.empty() == options.models.empty()) {
    console.err << "error: name models to measure, or a --matrix FILE of them, not both\n";
    return kUserError;
  }
  if (!options.matrix.empty()) {
    return benchMatrix(options, console);
  }
  llvm::Expected<std::unique_ptr<accelerators::Accelerator>> device =
      accelerators::findAccelerator(options.target);
  if (!device) {
    console.err << "error: " << llvm::toString(device.takeError()) << "\n";
    return kUserError;
  }
  if (*device) {
    return benchDevice(options, **device, console);
  }
  return Bench(options, console).run();
}

} // namespace convoy::driver
