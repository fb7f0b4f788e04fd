// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy-agent: measures candidates for the tuning service on CPUs of this machine, or counts their
// instructions on emulated boards. service/worker does the work.

#include "Targets/AllowedCommands.h"
#include "service/worker/CountAgent.h"
#include "service/worker/Emulation.h"
#include "service/worker/MeasureAgent.h"
#include "service/worker/WorkerProgram.h"
#include "tuning/measure/LocalMeasurer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace convoy::service;

namespace {

using Stations = std::vector<std::unique_ptr<WorkStation>>;

struct AgentFlags : WorkerFlags {
  AgentOptions agent;
  std::string board; // a target whose boards are emulated
  bool allowsToolchain = false;
};

llvm::Expected<Stations> emulatedStations(const AgentFlags &flags) {
  llvm::Expected<EmulationTables> tables = EmulationTables::read(flags.emulation);
  if (!tables) {
    return tables.takeError();
  }
  auto shared = std::make_shared<const EmulationTables>(std::move(*tables));
  Stations stations;
  for (int i = 0; i < flags.count; ++i) {
    EmulationOptions options;
    options.name = flags.name + "-" + std::to_string(i);
    options.deviceClass = flags.agent.deviceClass;
    options.seconds = flags.seconds;
    options.speed = flags.speed;
    options.noise = flags.noise;
    options.hangEvery = flags.hangEvery;
    options.hangSeconds = flags.hangSeconds;
    stations.push_back(makeEmulatedDevice(std::move(options), shared));
  }
  return stations;
}

/// Returns emulated boards of a microcontroller.
llvm::Expected<Stations> boardStations(const AgentFlags &flags) {
  namespace targets = convoy::targets;
  llvm::Expected<targets::Target> target = targets::findTarget(
      flags.allowsToolchain ? targets::withTrust(flags.board, "") : flags.board);
  if (!target) {
    return target.takeError();
  }
  if (!target->toolchain) {
    return llvm::createStringError("--board expects a microcontroller, got '" + flags.board +
                                   "'; `convoy targets` lists the targets");
  }
  llvm::Expected<std::shared_ptr<BlobClient>> blobs = blobClientOf(flags);
  if (!blobs) {
    return blobs.takeError();
  }
  Stations stations;
  for (int i = 0; i < flags.count; ++i) {
    auto station = makeCountStation(
        {flags.name + "-" + std::to_string(i), flags.agent.deviceClass, *target}, *blobs);
    if (!station) {
      return station.takeError();
    }
    stations.push_back(std::move(*station));
  }
  return stations;
}

llvm::Expected<Stations> realStation(const AgentFlags &flags) {
  llvm::Expected<std::shared_ptr<BlobClient>> blobs = blobClientOf(flags);
  if (!blobs) {
    return blobs.takeError();
  }
  AgentOptions options = flags.agent;
  if (!llvm::sys::fs::can_execute(options.program)) {
    return llvm::createStringError("cannot find the program '" + options.program +
                                   "'; name it with --measure-program");
  }
  options.name = flags.name;
  options.cpu = convoy::targets::detectHost().cpu;
  options.say = logLine;
  std::vector<int> usable = convoy::tuning::usableCpus();
  if (options.cpus.empty()) {
    options.cpus = {usable.back()};
  }
  for (int cpu : options.cpus) {
    if (llvm::find(usable, cpu) == usable.end()) {
      return llvm::createStringError("this process may not use CPU " + std::to_string(cpu) +
                                     "; choose others with --cpus");
    }
  }
  Stations stations;
  stations.push_back(makeMeasureStation(std::move(options), *blobs));
  return stations;
}

void addAgentFlags(CLI::App &app, AgentFlags &flags) {
  AgentOptions &agent = flags.agent;
  app.add_option("--class", agent.deviceClass,
                 "Take the work for this device class. Devices of a class are interchangeable.")
      ->required()
      ->type_name("NAME");
  app.add_option("--cpus", agent.cpus,
                 "Measure on these CPUs, separated by commas (default: the last CPU).")
      ->delimiter(',')
      ->type_name("LIST");
  app.add_option("--measure-program", agent.program,
                 "Measure with this convoy-measure (default: beside convoy-agent).")
      ->type_name("FILE");
  app.add_option("--lock-dir", agent.lockFolder, "Create the lock files of the CPUs here.")
      ->capture_default_str()
      ->type_name("DIR");
  app.add_option("--sys-dir", agent.sysFolder, "Read frequencies and temperatures here.")
      ->capture_default_str()
      ->type_name("DIR");
  app.add_option("--sentinel-every", agent.sentinelEvery,
                 "Run the sentinel kernel after this number of trials.")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--max-drift", agent.maxDrift,
                 "Quarantine the device if the sentinel's time grows by this fraction.")
      ->capture_default_str()
      ->type_name("X");
  app.add_option("--wait", agent.maxWaitSeconds, "Wait at most this time in total for an idle CPU.")
      ->capture_default_str()
      ->type_name("S");
  app.add_option("--board", flags.board,
                 "Count instructions on --count boards of this microcontroller, which QEMU "
                 "emulates, instead of measuring times.")
      ->type_name("TARGET");
  app.add_flag("--allow-toolchain", flags.allowsToolchain,
               "Run the emulator that the description of --board names, if it is a file.");
  app.add_option("--emulate", flags.emulation,
                 "Answer from this table instead of measuring (tests/service/make_tables.py).")
      ->type_name("FILE")
      ->group("Emulation");
  app.add_option("--noise", flags.noise,
                 "Add noise with this relative standard deviation to emulated samples.")
      ->capture_default_str()
      ->group("Emulation");
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Measure candidates for the tuning service.", "convoy-agent");
  AgentFlags flags;
  flags.agent.cpus.clear();
  std::string self = llvm::sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&main));
  flags.agent.program = (llvm::sys::path::parent_path(self) + "/convoy-measure").str();
  addWorkerFlags(app, flags, "agent");
  addAgentFlags(app, flags);
  addEmulationFlags(app, flags, 0.048);
  int code = runProgram(app, argc, argv, [&]() -> llvm::Expected<WorkerEnd> {
    llvm::Expected<Stations> stations = !flags.board.empty()      ? boardStations(flags)
                                        : flags.emulation.empty() ? realStation(flags)
                                                                  : emulatedStations(flags);
    if (!stations) {
      return stations.takeError();
    }
    WorkerOptions options;
    options.stage = convoy::tuning::WorkStage::Measure;
    options.stream = "MEASURE";
    options.consumer = subjectToken(flags.agent.deviceClass);
    return serveWork(flags, std::move(options), std::move(*stations));
  });
  _exit(code); // threads of a stuck worker still use objects
}
