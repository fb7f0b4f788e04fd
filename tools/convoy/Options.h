// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of the flags, as plain data: one struct per verb. FlagKinds.h fills the structs.
// A value whose meaning depends on the model stays text; Request.h and io/ parse such values.

#pragma once

#include "Driver/InjectedFaults.h"
#include "convoy/request.h"
#include "io/Dataset.h"
#include "io/InputData.h"
#include "io/ModelFlags.h"
#include "quantizer/QuantizeModel.h"
#include "tuning/network/NetworkSearch.h"
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace convoy::tool {

/// --json[=FILE]. The text for people is printed unless the JSON goes to stdout.
struct JsonFlag {
  static constexpr const char *kStdout = "-";
  std::string to; // a file or kStdout; empty: not given

  bool isGiven() const { return !to.empty(); }
  bool isStdout() const { return to == kStdout; }
  bool isFile() const { return isGiven() && !isStdout(); }
};

/// How to reach a tuning service.
struct ServiceFlags {
  std::string urls;  // separated by commas; empty: none
  std::string certs; // folder with ca.crt, client.crt and client.key; empty: the default
};

/// The flags of every verb that compiles. A verb refuses a flag that has no effect on it; see
/// refuseCpuFlags in Request.h.
struct BuildFlags {
  io::ModelFlags model;
  std::string target = "host";
  std::string cpu;            // the CPU beside a device; empty: this machine
  PlacementRequest placement; // which ops run on a device
  Math math = Math::Fast;
  bool isInteger = true;   // compute quantised layers in integers
  std::string calibrate;   // folder of calibration samples; empty: none
  io::ImageFlags image;    // how an image becomes a tensor
  int64_t threads = 1;     // 0: one per core of the target
  std::string records;     // tuning records: a file or service:URL; empty: none
  std::string certs;       // for a service, see ServiceFlags
  std::string kernelTimes; // file of measured kernel times; empty: estimates
  Localise localise = Localise::Default;
  IoPlace io = IoPlace::Caller; // for C
  MemoryLimits limits;          // for a microcontroller
  driver::FaultInjection faults;
  bool needsDevice = false;    // the verb looks at a device
  std::set<std::string> given; // the names of the flags on the command line
};

struct CompileFlags {
  BuildFlags build;
  std::string output = ".";
  Emit emit = Emit::Library;
  SourceLoops loops = SourceLoops::Target; // for C
  bool withTest = false;                   // write a test bench, for C
  std::vector<std::string> inputs;         // of the test bench
  std::string name;                        // prefix of symbols; empty: the name of the model file
  WeightsPlace weights = WeightsPlace::Linked;
  std::string stopAfter; // print the IR after this stage; empty: write files
  std::string report;    // page for the schedule of the threads or for the memory of a
                         // microcontroller; empty: none
  double deadlineMs = 0; // minimise energy within this time; 0: off
  bool verifyStages = false;
  bool sanitizesThreads = false;
  std::string trace; // file for the times of stages and passes; empty: none
  JsonFlag json;
};

/// The format of the files that `run` writes.
enum class TensorFormat {
  Npy, ///< NumPy; ONNX for element types that NumPy lacks.
  Pb,  ///< ONNX.
};

struct RunFlags {
  BuildFlags build;
  std::vector<std::string> inputs; // "[NAME=]FILE" or "[NAME=]random[:seed]"
  int64_t top = 0;
  io::DatasetFlags data; // without data.data: one inference, and data.labels are names of classes
  std::string metric;    // command that computes a number from the outputs of --data; empty: none
  std::string output;    // folder for the outputs; empty: write no files
  TensorFormat format = TensorFormat::Npy;
  std::string trace; // file for the times of kernels; empty: none
  JsonFlag json;
};

struct CheckFlags {
  BuildFlags build;
  std::vector<std::string> inputs;
  std::vector<std::string> goldens; // folders
  io::DatasetFlags data;            // samples to compare on; data.data empty: none
  std::vector<std::string> targets = {"host"};
  bool isExact = false;   // require equal bytes
  bool hasLayers = false; // report how far integer layers are from ONNX's arithmetic
  JsonFlag json;
};

/// The program that `bench` measures in turn with the model.
enum class Peer { None, OnnxRuntime };

struct BenchFlags {
  BuildFlags build; // shared by all models
  std::vector<std::string> models;
  std::vector<int64_t> threads = {1};
  Peer peer = Peer::None;
  std::string peerLibrary; // empty: the library in build/peers
  int64_t samples = 30;
  std::string output; // folder for the libraries; empty: a temporary folder
  std::string matrix; // JSON file of combinations; empty: measure `models`
  std::string table;  // Markdown file for the table of the matrix; empty: none
  bool hasLayers = false;
  bool isHot = false;               // with layers: run each kernel repeatedly on the same data
  std::vector<std::string> inputs;  // as in RunFlags; random by default
  io::DatasetFlags data;            // its first sample is the input; data.data empty: none
  int64_t streams = 0;              // parallel streams; 0: do not measure throughput
  std::string trace;                // file for the times of kernels; empty: none
  std::vector<std::string> compare; // two results of `bench --json`; empty: measure
  std::string report;               // page of a microcontroller's program; empty: none
  JsonFlag json;
};

struct QuantizeFlags {
  BuildFlags build; // the model, the target and the conversion of images
  io::DatasetFlags data;
  std::string calibrationData; // empty: a part of the data calibrates
  quantizer::QuantizeOptions options;
  std::string plan;            // a plan to apply; empty: search one
  std::string output;          // the quantised model
  std::string report;          // page; empty: none
  bool allowsUnproven = false; // write the model without a promise
  JsonFlag json;
};

/// The job that `tune --service` creates.
struct TuneJob {
  std::string urls;        // of the service; empty: tune on this machine
  std::string deviceClass; // empty: the name of the target's CPU
  std::string project = "default";
  int64_t priority = 0;
  double deviceSeconds = 0; // limit; 0: none
  bool isDetached = false;  // do not wait for the end

  bool isGiven() const { return !urls.empty(); }
};

struct TuneFlags {
  BuildFlags build; // build.records is the file that tune extends
  bool listTasks = false;
  std::string space; // JSON file that changes the search spaces; empty: none
  tuning::NetworkSearch search;
  TuneJob job;
  JsonFlag json;
};

struct JobsFlags {
  enum class Action { List, Show, Watch, Pause, Resume, Cancel, Extend };
  Action action = Action::List;
  ServiceFlags service;
  std::string id;
  // For list:
  std::string project; // empty: all
  std::vector<std::string> states;
  int64_t limit = 100;
  // For extend; 0: nothing to add.
  int64_t trials = 0;
  double seconds = 0, deviceSeconds = 0;
  JsonFlag json;
};

struct DevicesFlags {
  enum class Action { List, Drain, Quarantine, Activate };
  Action action = Action::List;
  ServiceFlags service;
  std::string name;
  std::string reason;
  JsonFlag json;
};

struct RecordsFlags {
  enum class Action { Merge, Export, Import, Prune, List };
  Action action = Action::List;
  std::vector<std::string> files;
  std::string output; // the file to write; empty: stdout (export only)
  // For prune:
  double olderThanSeconds = 0;            // 0: off
  bool isStale = false, isFailed = false; // outdated template versions; failed trials
  int64_t keepFastest = 0;                // per task and layout; 0: all
  bool isDryRun = false;
  JsonFlag json;
};

struct ExplainFlags {
  BuildFlags build;
  bool isVerbose = false; // print configurations and layouts
  JsonFlag json;
};

struct ReportFlags {
  std::string tuning;                 // file of records
  std::string report = "report.html"; // the page
  JsonFlag json;
};

struct SweepFlags {
  /// A flag of the command line, the device's name for it, and the values to try.
  struct Axis {
    std::string flag, key;
    std::vector<std::string> values;
  };
  BuildFlags build;
  std::vector<Axis> axes;
  std::string report; // page for the picture; empty: none
  JsonFlag json;
};

struct InspectFlags {
  io::ModelFlags model;
  JsonFlag json;
  /// NVDLA loadables only: a file for the picture, and the hardware whose cycles to estimate.
  std::string report, config;
};

struct OpsFlags {
  bool isMarkdown = false;
  JsonFlag json;
};

struct TargetsFlags {
  std::string name; // the target to describe; empty: list all targets
  JsonFlag json;
  bool isMarkdown = false; // what each device runs
};

} // namespace convoy::tool
