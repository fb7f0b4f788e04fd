// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verbs that measure or simulate time: bench, tune, sweep.

#ifndef CONVOY_OPTIONS_MEASURE_TD
#define CONVOY_OPTIONS_MEASURE_TD

include "Build.td"

defvar Milliseconds = Duration<"1e-3", "1e-3">;
defvar Seconds = Duration<"1", "1">;

//===----------------------------------------------------------------------===//
// bench
//===----------------------------------------------------------------------===//

def BenchFlags : Struct;
let owner = BenchFlags in {
def Models : Option<"models", "models", Arguments<"MODEL..">,
    "Measure these ONNX models, or libraries of `convoy compile` (required unless --matrix or --compare is given).">;
def Matrix : Option<"--matrix", "matrix", Text<"FILE">,
    "Measure each combination of the models, targets, threads and flags in a JSON file (default: none)."> {
  let comment = "JSON file of combinations; empty: measure `models`";
}
def Compare : Option<"--compare", "compare", Pair<"A.json B.json">,
    "Compare two files that `convoy bench --json=FILE` wrote and measure nothing; exit with 1 if a model is "
    "slower in B.json or, on a microcontroller, needs more instructions, flash or RAM (default: none)."> {
  let comment = "two results of `bench --json`; empty: measure";
}
def Table : Option<"--table", "table", Text<"FILE">,
    "Write the table as Markdown to FILE; needs --matrix (default: none)."> {
  let comment = "Markdown file for the table of the matrix; empty: none";
}
def BenchThreads : Option<"--threads", "threads", Counts<1, 1024>,
    "Measure with each of these numbers of threads (default: 1)."> {
  let sharesFlag = 1;
  let initial = "{1}";
}
def Baseline : Option<"--baseline", "peer", Choice<"Peer", [Word<"onnxruntime", "Peer::OnnxRuntime">]>,
    "Measure ONNX Runtime too, alternating with the model; `scripts/install-deps.sh --bench` installs it (default: "
    "off)."> {
  let oldNames = ["--against"];
  let initial = "Peer::None";
}
def Repetitions : Option<"--repetitions", "samples", Count<1, 100000>,
    "Measure each program N times (default: 30)."> {
  let initial = "30";
}
def BenchInput : Option<"--input", "inputs", Texts<"[NAME=]FILE">,
    "Read an input from a .npy, .pb or .raw file or a PNG, JPEG or BMP image, or generate random[:SEED]; "
    "needs one model (default: random)."> {
  let sharesFlag = 1;
  let comment = "as in RunFlags; random by default";
}
def Streams : Option<"--streams", "streams", Count<1, 1024>,
    "Measure also the throughput of N threads that run the model at the same time, each with its own "
    "workspace (default: off)."> {
  let initial = "0";
  let comment = "parallel streams; 0: do not measure throughput";
}
def BenchTrace : Option<"--trace", "trace", Text<"FILE">,
    "Run each model also with probes and write the kernels and waits of each core as a trace for "
    "ui.perfetto.dev (default: none)."> {
  let sharesFlag = 1;
  let comment = "file for the times of kernels; empty: none";
}
def BenchLayers : Option<"--layers", "hasLayers", Toggle,
    "Measure each kernel inside the model instead of the whole model; for a microcontroller, count its "
    "instructions (default: off)."> {
  let initial = "false";
}
def BenchReport : Option<"--report", "report", Text<"FILE">,
    "Draw the layers and the arena of a microcontroller's program as an HTML report; needs one model (default: "
    "none)."> {
  let sharesFlag = 1;
  let comment = "page of a microcontroller's program; empty: none";
}
def Hot : Option<"--hot", "isHot", Toggle,
    "Run each kernel repeatedly on the same data; needs --layers (default: off)."> {
  let initial = "false";
  let comment = "with layers: run each kernel repeatedly on the same data";
}
def BaselineLibrary : Option<"--baseline-library", "peerLibrary", Text<"FILE">,
    "Measure this libonnxruntime.so.1 as the baseline (default: the library in build/peers)."> {
  let oldNames = ["--peer-library"];
  let comment = "empty: the library in build/peers";
}
def BaselineModel : Option<"--baseline-model", "peerModel", Text<"FILE">,
    "Give ONNX Runtime this model; needs --baseline and one compiled library (default: the measured model)."> {
  let comment = "the ONNX model of a compiled library; empty: the measured model";
}
def BenchOutput : Option<"-o,--output", "output", Text<"DIR">,
    "Keep the compiled libraries, or the programs of a microcontroller, in DIR (default: none)."> {
  let sharesFlag = 1;
  let comment = "folder for the libraries; empty: a temporary folder";
}
}

def BenchVerb : Verb<"bench", "Measure the latency of models; for a microcontroller, count instructions.",
                     BenchFlags> {
  let entries = [Models, Matrix, Compare, Table] # kPins # [Target, Cpu, AllowToolchain] # kPlacement # [Optimize] # kNumerics
      # kImage # [BenchThreads] # kTuning # [Io, MaxRam, MaxFlash] # kPlugins # [Baseline, Repetitions,
      Alias<"--samples", Repetitions>, BenchInput,
      Use<Data, "Measure with the first sample of a data set, which is a folder, a .npy file or a .json file "
          "as in `convoy run`; needs one model (default: none).">,
      Streams, BenchTrace, BenchLayers, BenchReport, Hot, BaselineLibrary, BaselineModel, BenchOutput] # kResult;
  let everyday = [InputShape, Target, BenchThreads, Records, Baseline, BenchInput, BenchLayers, Streams, Compare,
                  ResultJson];
  let checks = ["checkBuildFlags(verb, o.build, {\"--calibrate\", \"--input\", \"--data\"})"];
}

//===----------------------------------------------------------------------===//
// tune
//===----------------------------------------------------------------------===//

def TuneFlags : Struct;
let owner = TuneFlags in {
def ListTasks : Option<"--list-tasks", "listTasks", Toggle,
    "Print the model's tasks with weight, space and default, and measure nothing (default: off)."> {
  let initial = "false";
}
def Space : Option<"--space", "space", Text<"FILE">,
    "Read a JSON file that narrows the search spaces or adds values, see docs/howto/add-knob.md (default: "
    "none)."> {
  let comment = "JSON file that changes the search spaces; empty: none";
}
}

// Members of tuning::NetworkSearch.
def NetworkSearch : LibraryStruct<"search.">;
let owner = NetworkSearch in {
def Trials : Option<"--trials", "trials", Count<1>, "Stop after N trials (default: no limit)."> {
  let python = TuneKeyword<"trials", "int", "0", "measure at most this many configurations; 0: no limit.",
      "_integer(\"trials\", trials, 0)">;
}
def Time : Option<"--time", "seconds", Seconds,
    "Stop after DURATION, for example 90s or 1h (default: 10m, no limit with --trials)."> {
  let python = TuneKeyword<"seconds", "float", "0", "stop after this time; 0: no limit.", "float(seconds)">;
}
def TargetLatency : Option<"--target-latency", "targetMs", Milliseconds,
    "Stop when the estimate of an inference reaches DURATION, for example 25ms (default: off)."> {
  let python = TuneKeyword<"target_ms", "float", "0", "stop at this estimated time of an inference; 0: never.",
      "float(target_ms)">;
}
def Batch : Option<"--batch", "batch", Count<1, 1000>,
    "Measure N trials of a task before the search changes to another task (default: 8)."> {
  let python = TuneKeyword<"batch", "int", "8", "measure this many configurations of a kernel before the next kernel.",
      "_integer(\"batch\", batch, 1)">;
}
def Timeout : Option<"--timeout", "timeoutMs", Milliseconds,
    "Abandon a candidate after DURATION (default: 10s)."> {
  let python = TuneKeyword<"timeout_ms", "float", "10000", "abandon a configuration after this time.", "float(timeout_ms)">;
}
def Wait : Option<"--wait", "waitSeconds", Duration<"1", "1", "true">,
    "Wait at most DURATION in total for a free core, then accept noise (default: 60s)."> {
  let python = TuneKeyword<"wait_seconds", "float", "60", "wait at most this time in total for an idle core.",
      "float(wait_seconds)">;
}
def NoTransfer : Option<"--no-transfer", "isWithoutTransfer", Toggle,
    "Start the cost model of each task without the measurements of other tasks (default: off).">;
def Searcher : Option<"--searcher", "searcher", Name<"searcherNames()", "NAME">,
    "Propose candidates with this search: mixed, order, random, grid, evolution or descent (default: mixed)."> {
  let python = TuneKeyword<"searcher", "str", "\"mixed\"", "the search that proposes configurations.",
      "_text(\"searcher\", searcher, optional=False)">;
}
def Seed : Option<"--seed", "seed", Count<0>,
    "Seed the search; the same seed and the same measured times give the same candidates (default: 0)."> {
  let python = TuneKeyword<"seed", "int", "0", "seed of the search.", "_integer(\"seed\", seed, 0)">;
}
}

def TuneJob : Struct<"job.">;
let owner = TuneJob in {
def TuneService : Option<"--service", "urls", Urls,
    "Tune on the devices of the tuning service at URL instead of this machine; with several URLs, use the "
    "server that leads (default: this machine)."> {
  let sharesFlag = 1;
  let comment = "of the service; empty: tune on this machine";
}
def DeviceClass : Option<"--device-class", "deviceClass", PlainName<"NAME">,
    "Measure on devices of this class of the service (default: the name of the target's CPU)."> {
  let comment = "empty: the name of the target's CPU";
}
def TuneProject : Option<"--project", "project", PlainName<"NAME">,
    "Use the budget of this project of the service (default: default)."> {
  let initial = "\"default\"";
}
def Priority : Option<"--priority", "priority", Count<-100, 100>,
    "Run before jobs of a lower priority in the same project (default: 0)."> {
  let initial = "0";
}
def DeviceTime : Option<"--device-time", "deviceSeconds", Seconds,
    "Stop after DURATION on devices of the service (default: no limit)."> {
  let initial = "0";
  let comment = "limit; 0: none";
}
def Detach : Option<"--detach", "isDetached", Toggle,
    "Create the job of the service and do not wait for its end (default: off)."> {
  let initial = "false";
  let comment = "do not wait for the end";
}
}

// Tuning measures kernels of the CPU, so it rejects the flags about devices.
def TuneVerb : Verb<"tune", "Search for faster configurations of a model's kernels by measurement.",
                    TuneFlags> {
  let entries = kModel # [Target, AllowToolchain, Refused<Cpu>, Refused<Place>, Refused<RequireDevice>, Refused<Optimize>]
      # kNumerics # kImage # [Threads,
      Use<Records, "Add the measurements to FILE and create FILE if it does not exist (required unless "
          "--list-tasks or --service is given).">] # [BuildCerts] # kSchedule # [Io] # kPlugins
      # [Alias<"-o,--output", Records>, ListTasks, Trials, Time, TargetLatency, Batch, Timeout, Wait, Space,
      NoTransfer, Searcher, Seed, TuneService, DeviceClass, TuneProject, Priority, DeviceTime, Detach]
      # kResult;
  let everyday = [InputShape, Target, Threads, Records, ListTasks, Trials, Time, TargetLatency, TuneService, ResultJson];
  let checks = ["checkBuildFlags(verb, o.build, {\"--calibrate\"})"];
}

//===----------------------------------------------------------------------===//
// sweep
//===----------------------------------------------------------------------===//

def SweepFlags : Struct;
let owner = SweepFlags in {
def Pes : Option<"--pes", "axes[0].values", Words<"N[,N..]">,
    "Try these numbers of multiply-accumulates per cycle, for example 64,128 (default: the value of the device).">;
def Memory : Option<"--memory", "axes[1].values", Sizes,
    "Try these sizes of local memory, for example 512K,1M; a number without a unit is in bytes (default: the "
    "device's own).">;
def Parallel : Option<"--parallel", "axes[2].values", Words<"in|out[,..]">,
    "Distribute input or output channels over the lanes (default: the value of the device).">;
def Tiling : Option<"--tiling", "axes[3].values", Words<"all|channels[,..]">,
    "Tile layers in all dimensions or in channels only (default: the value of the device).">;
def Depthwise : Option<"--depthwise", "axes[4].values", Words<"none|mapped|native[,..]">,
    "Leave depthwise convolutions to the CPU, map them to one convolution per channel or run them natively "
    "(default: the value of the device).">;
def SweepDevices : Option<"--devices", "devices", Words<"NAME[,NAME..]">,
    "Simulate these devices too, with their own parameters, for example abstract:pes=32 (default: none).">;
def SweepReport : Option<"--report", "report", Text<"FILE">,
    "Draw the results as an HTML report without external files (default: none)."> {
  let sharesFlag = 1;
  let comment = "page for the picture; empty: none";
}
}

// A sweep times the device.
def SweepVerb : Verb<"sweep", "Simulate a model on each combination of a device's parameters.", SweepFlags> {
  let entries = kModel # [
      Required<Target, "Place ops on this device; `convoy targets` lists the devices (required).">,
      Allowed<Cpu, "Predict the time of the ops outside the device for this CPU, a target or a .json description "
          "(default: host).">] # kPlacement # [Optimize] # kNumerics # kImage # [Threads, Records, Refused<BuildCerts>] # kSchedule
      # [Io] # kPlugins # [Pes, Memory, Parallel, Tiling, Depthwise, SweepDevices, SweepReport,
      Alias<"--html,-o,--output", SweepReport>] # kResult;
  let everyday = [InputShape, Target, Calibrate, Pes, Memory, Parallel, Tiling, SweepDevices, SweepReport, ResultJson];
  let refusesCpuFlags = 1;
  let checks = ["checkBuildFlags(verb, o.build, {\"--calibrate\"})"];
}

#endif // CONVOY_OPTIONS_MEASURE_TD
