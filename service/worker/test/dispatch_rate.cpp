// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints how many trials per second pass through NATS: build and measure work to emulated workers
// that answer at once, and their results.
//
//   service_dispatch_rate [--seconds S] [--devices N] [--builders N] [--least TRIALS_PER_SECOND]

#include "TestTrials.h"
#include "tuning/records/Record.h"
#include <cstring>

using namespace convoy;
using namespace convoy::service;
using namespace convoy::service::test;

namespace {

struct Settings {
  double seconds = 10;
  int devices = 16, builders = 8;
  double least = 0;
};

Settings parse(int argc, char **argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    double value = std::atof(argv[i + 1]);
    if (!strcmp(argv[i], "--seconds")) {
      settings.seconds = value;
    } else if (!strcmp(argv[i], "--devices")) {
      settings.devices = static_cast<int>(value);
    } else if (!strcmp(argv[i], "--builders")) {
      settings.builders = static_cast<int>(value);
    } else if (!strcmp(argv[i], "--least")) {
      settings.least = value;
    }
  }
  return settings;
}

int64_t residentKilobytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/// Runs trials for a time and returns the number that ended per second.
double measureRate(Servers &servers, const Settings &settings) {
  TestTask task;
  std::string table = servers.folder() + "/table.json";
  task.writeTable(table);
  auto tables =
      std::make_shared<const EmulationTables>(llvm::cantFail(EmulationTables::read(table)));
  NatsDispatcherOptions options;
  options.nats = natsOf(servers, "tuningd");
  options.putBlob = [](llvm::StringRef bytes) { return tuning::sha256(bytes); };
  auto dispatcher = llvm::cantFail(NatsDispatcher::create(options));
  EmulationOptions emulation;
  emulation.name = "device";
  emulation.seconds = 0;
  TestWorkers builders(builderOptions(servers), emulatedBuilders(settings.builders, 0));
  TestWorkers devices(agentOptions(servers), emulatedDevices(settings.devices, emulation, tables));
  while (dispatcher->capacity().devices[kClass] < settings.devices) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  TrialRunner runner(*dispatcher, task, "job", 1 << 20, 4 * (settings.devices + settings.builders));
  runner.runFor(1); // warm up
  int before = runner.finished;
  double start = now();
  runner.runFor(settings.seconds);
  double rate = (runner.finished - before) / (now() - start);
  printf("%.0f trials/s through NATS (%d builders, %d devices, %.0f s, %lld kB resident)\n", rate,
         settings.builders, settings.devices, settings.seconds,
         static_cast<long long>(residentKilobytes()));
  return rate;
}

} // namespace

int main(int argc, char **argv) {
  Settings settings = parse(argc, argv);
  Servers servers("nats");
  servers.SetUp();
  double rate = measureRate(servers, settings);
  servers.TearDown();
  if (rate < settings.least) {
    fprintf(stderr, "expected at least %.0f trials/s\n", settings.least);
    return 1;
  }
  return 0;
}
