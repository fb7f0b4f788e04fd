// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of the verbs that measure or simulate time: bench, tune, sweep.

#include "BuildArguments.h"
#include "DataArguments.h"
#include "tuning/search/Searcher.h"

namespace convoy::tool {
namespace {

constexpr DurationKind kMilliseconds{/*stored=*/1e-3, /*plain=*/1e-3};
constexpr DurationKind kSeconds{/*stored=*/1, /*plain=*/1};
constexpr DurationKind kSecondsOrNone{/*stored=*/1, /*plain=*/1, /*isZeroAllowed=*/true};

void addBudget(CommandLine &line, CLI::App &verb, tuning::NetworkSearch &o) {
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags.count("--trials", o.trials, {1, INT64_MAX}, "Stop after N trials (default: no limit).");
  flags.duration("--time", o.seconds, kSeconds,
                 "Stop after DURATION, for example 90s or 1h; a number without a unit is in "
                 "seconds (default: 10m, no limit with --trials).");
  flags.duration("--target-latency", o.targetMs, kMilliseconds,
                 "Stop when the estimate of an inference reaches DURATION, for example 25ms; a "
                 "number without a unit is in milliseconds (default: off).");
  rare.count("--batch", o.batch, {1, 1000},
             "Measure N trials of a task before the search changes to another task (default: 8).");
  rare.duration("--timeout", o.timeoutMs, kMilliseconds,
                "Abandon a candidate after DURATION; a number without a unit is in milliseconds "
                "(default: 10s).");
  rare.duration("--wait", o.waitSeconds, kSecondsOrNone,
                "Wait at most DURATION in total for a free core, then accept noise; a number "
                "without a unit is in seconds (default: 60s).");
}

void addSearch(CommandLine &line, CLI::App &verb, TuneFlags &o) {
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags.text("--space", o.space, "FILE",
             "Read a JSON file that narrows the search spaces or adds values, see "
             "docs/howto/add-knob.md (default: none).");
  rare.flag("--no-transfer", o.search.isWithoutTransfer,
            "Start the cost model of each task without the measurements of other tasks (default: "
            "off).");
  std::vector<std::string> searchers;
  for (llvm::StringRef name : tuning::searcherNames()) {
    searchers.push_back(name.str());
  }
  rare.name("--searcher", o.search.searcher, searchers, "NAME",
            "Propose candidates with this search: mixed, order, random, grid, evolution or "
            "descent (default: mixed).");
  rare.count("--seed", o.search.seed, {0, INT64_MAX},
             "Seed the search; the same seed and the same measured times give the same candidates "
             "(default: 0).");
}

/// Adds the flags of a job of a tuning service.
void addJob(CommandLine &line, CLI::App &verb, TuneJob &o) {
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags.urls("--service", o.urls,
             "Tune on the devices of the tuning service at URL instead of this machine; with "
             "several URLs, use the server that leads (default: this machine).");
  rare.plainName("--device-class", o.deviceClass, "NAME",
                 "Measure on devices of this class of the service (default: the name of the "
                 "target's CPU).");
  rare.plainName("--project", o.project, "NAME",
                 "Use the budget of this project of the service (default: default).");
  rare.count("--priority", o.priority, {-100, 100},
             "Run before jobs of a lower priority in the same project (default: 0).");
  rare.duration("--device-time", o.deviceSeconds, kSeconds,
                "Stop after DURATION on devices of the service; a number without a unit is in "
                "seconds (default: no limit).");
  rare.flag("--detach", o.isDetached,
            "Create the job of the service and do not wait for its end (default: off).");
}

/// Adds the measuring flags of bench.
void addMeasurement(CommandLine &line, CLI::App &verb, BenchFlags &o) {
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags.choice("--against", o.peer, {{"onnxruntime", Peer::OnnxRuntime}},
               "Measure ONNX Runtime in turn with the model; `scripts/install-deps.sh --bench` "
               "installs it (default: off).");
  flags.count("--samples", o.samples, {1, 100000}, "Take N samples of each program (default: 30).");
  flags.texts("--input", o.inputs, "[NAME=]FILE",
              "Read an input from a .npy, .pb or .raw file or a PNG, JPEG or BMP image, or "
              "generate random[:SEED]; needs one model (default: random).");
  DataForm data;
  data.data = "Measure with the first sample of a data set, which is a folder, a .npy file or a "
              ".json file as in `convoy run`; needs one model (default: none).";
  data.labels = data.samples = nullptr;
  addDataFlags(line, verb, o.data, data);
  flags.count("--streams", o.streams, {1, 1024},
              "Measure also the throughput of N threads that run the model at the same time, each "
              "with its own workspace (default: off).");
  flags.text("--trace", o.trace, "FILE",
             "Run each model also with probes and write the kernels and waits of each core as a "
             "trace for ui.perfetto.dev (default: none).");
  flags.flag("--layers", o.hasLayers,
             "Measure each kernel inside the model instead of the whole model; for a "
             "microcontroller, count its instructions (default: off).");
  flags.text("--report", o.report, "FILE",
             "Draw the layers and the arena of a microcontroller's program as an HTML page; needs "
             "one model (default: none).");
  rare.flag("--hot", o.isHot,
            "Run each kernel repeatedly on the same data; needs --layers (default: off).");
  rare.text("--peer-library", o.peerLibrary, "FILE",
            "Compare with this libonnxruntime.so.1 (default: the library in build/peers).");
  rare.text("-o,--output", o.output, "DIR",
            "Keep the compiled libraries, or the programs of a microcontroller, in DIR (default: "
            "delete them).");
}

/// A parameter of devices with the values to try. `key` is the device's own name.
std::vector<std::string> &addAxis(SweepFlags &o, const char *flag, const char *key) {
  o.axes.push_back({flag, key, {}});
  return o.axes.back().values;
}

} // namespace

void addBench(CommandLine &line) {
  auto o = std::make_shared<BenchFlags>();
  CLI::App &verb = line.addVerb("bench",
                                "Measure models, on request in turn with ONNX Runtime; for a "
                                "microcontroller, count instructions.",
                                [o](Console &console) { return bench(*o, console); });
  Flags flags = line.everyday(verb), rare = line.rare(verb);
  flags.positionals("models", o->models, /*isRequired=*/false, "MODEL..",
                    "Measure these ONNX models (required unless --matrix or --compare is given).");
  flags.text("--matrix", o->matrix, "FILE",
             "Measure each combination of the models, targets, threads and flags in a JSON file "
             "(default: none).");
  flags.pair("--compare", o->compare, "A.json B.json",
             "Compare two files that `convoy bench --json=FILE` wrote and measure nothing; exit "
             "with 1 if a model is slower in B.json or, on a microcontroller, needs more "
             "instructions, flash or RAM (default: none).");
  rare.text("--table", o->table, "FILE",
            "Write the table as Markdown to FILE; needs --matrix (default: none).");
  BuildForm form;
  form.hasModel = false;
  form.threadCounts = &o->threads;
  form.hasLimits = true;
  form.imageReaders = {"--calibrate", "--input", "--data"};
  addBuildFlags(line, verb, o->build, form);
  addMeasurement(line, verb, *o);
  line.addResultFlags(verb, o->json);
}

void addTune(CommandLine &line) {
  auto o = std::make_shared<TuneFlags>();
  CLI::App &verb =
      line.addVerb("tune", "Search for faster configurations of a model's kernels by measurement.",
                   [o](Console &console) { return tune(*o, console); });
  BuildForm form;
  form.records = "Add the measurements to FILE and create FILE if it does not exist (required "
                 "unless --list-tasks or --service is given).";
  addBuildFlags(line, verb, o->build, form);
  Flags flags = line.everyday(verb);
  flags.alias("-o,--output", o->build.records);
  flags.flag("--list-tasks", o->listTasks,
             "Print the model's tasks with weight, space and default, and measure nothing "
             "(default: off).");
  addBudget(line, verb, o->search);
  addSearch(line, verb, *o);
  addJob(line, verb, o->job);
  line.addResultFlags(verb, o->json);
}

void addSweep(CommandLine &line) {
  auto o = std::make_shared<SweepFlags>();
  CLI::App &verb =
      line.addVerb("sweep", "Simulate a model on each combination of a device's parameters.",
                   [o](Console &console) { return sweep(*o, console); });
  addBuildFlags(line, verb, o->build, deviceForm());
  Flags flags = line.everyday(verb);
  o->axes.reserve(5); // the flags keep references to the values
  flags.words("--pes", addAxis(*o, "pes", "pes"), "N[,N..]",
              "Try these numbers of multiply-accumulates per cycle, for example 64,128 (default: "
              "the device's own).");
  flags.sizes("--memory", addAxis(*o, "memory", "memory_bytes"),
              "Try these sizes of local memory, for example 512K,1M; a number without a unit is in "
              "bytes (default: the device's own).");
  flags.words("--parallel", addAxis(*o, "parallel", "parallel"), "in|out[,..]",
              "Distribute input or output channels over the lanes (default: the device's own).");
  flags.words("--tiling", addAxis(*o, "tiling", "tiling"), "all|channels[,..]",
              "Tile layers in all dimensions or in channels only (default: the device's own).");
  flags.words("--depthwise", addAxis(*o, "depthwise", "depthwise"), "none|mapped|native[,..]",
              "Leave depthwise convolutions to the CPU, map them to one convolution per "
              "channel or run them natively (default: the device's own).");
  flags.text("--report", o->report, "FILE",
             "Draw the results as an HTML page without external files (default: none).");
  flags.alias("--html", o->report);
  flags.alias("-o,--output", o->report);
  line.addResultFlags(verb, o->json);
}

} // namespace convoy::tool
