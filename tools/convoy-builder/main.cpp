// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy-builder: builds candidates for the tuning service. service/worker does the work.

#include "Targets/Target.h"
#include "service/worker/BuildWorker.h"
#include "service/worker/Emulation.h"
#include "service/worker/WorkerProgram.h"
#include <unistd.h>

using namespace convoy::service;

namespace {

using Stations = std::vector<std::unique_ptr<WorkStation>>;

std::string numbered(const std::string &name, int number) {
  return name + "-" + std::to_string(number);
}

Stations emulatedStations(const WorkerFlags &flags) {
  Stations stations;
  for (int i = 0; i < flags.count; ++i) {
    EmulationOptions options;
    options.name = numbered(flags.name, i);
    options.seconds = flags.seconds;
    options.speed = flags.speed;
    options.hangEvery = flags.hangEvery;
    options.hangSeconds = flags.hangSeconds;
    stations.push_back(makeEmulatedBuilder(std::move(options)));
  }
  return stations;
}

/// Starts the build processes before any thread.
llvm::Expected<Stations> realStations(const WorkerFlags &flags, int slots) {
  if (flags.cache.empty()) {
    return llvm::createStringError("expected --cache DIR for downloaded and built files");
  }
  std::vector<BuildProcess> processes;
  for (int i = 0; i < slots; ++i) {
    llvm::Expected<BuildProcess> process =
        BuildProcess::start(flags.cache + "/build-" + std::to_string(i));
    if (!process) {
      return process.takeError();
    }
    processes.push_back(std::move(*process));
  }
  llvm::Expected<std::shared_ptr<BlobClient>> blobs = blobClientOf(flags);
  if (!blobs) {
    return blobs.takeError();
  }
  std::string cpu = convoy::targets::detectHost().cpu;
  Stations stations;
  for (int i = 0; i < slots; ++i) {
    stations.push_back(
        makeBuildStation({numbered(flags.name, i), cpu}, std::move(processes[i]), *blobs));
  }
  return stations;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Build candidates for the tuning service.", "convoy-builder");
  WorkerFlags flags;
  int slots = 1;
  addWorkerFlags(app, flags, "builder");
  app.add_option("--slots", slots, "Build this number of candidates in parallel.")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  app.add_flag("--emulate", flags.isEmulating,
               "Sleep instead of building and answer with an artifact that does not exist.")
      ->group("Emulation");
  addEmulationFlags(app, flags, 0.11);
  int code = runProgram(app, argc, argv, [&]() -> llvm::Expected<WorkerEnd> {
    llvm::Expected<Stations> stations =
        flags.isEmulating ? emulatedStations(flags) : realStations(flags, slots);
    if (!stations) {
      return stations.takeError();
    }
    WorkerOptions options;
    options.stage = convoy::tuning::WorkStage::Build;
    options.stream = "BUILD";
    options.consumer = "builders";
    return serveWork(flags, std::move(options), std::move(*stations));
  });
  _exit(code); // threads of a stuck worker still use objects
}
