// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command line says, as plain data: one struct per verb, made of the
// parts that verbs share. Texts that need the model to be understood stay text
// here; Request.h and io/ read them.

#pragma once

#include "Driver/InjectedFaults.h"
#include "convoy/request.h"
#include "io/InputData.h"
#include "io/ModelFlags.h"
#include "tuning/network/NetworkSearch.h"
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace convoy::tool {

/// The flags of every verb that compiles. A verb for which one of them means nothing
/// refuses it with a reason; see Request.h.
struct BuildFlags {
  io::ModelFlags model;
  std::string target = "host";
  std::string cpu;            // with a device: the machine beside it; empty: this one
  PlacementRequest placement; // with a device: which ops run there
  std::string math = "fast";  // or "strict"
  std::string integer = "on"; // or "off"
  std::string calibrate;      // folder of samples to quantise a float model by; empty: none
  io::ImageFlags image;       // how images among the inputs and samples become tensors
  int64_t threads = 1;        // 0: as many as the target has cores
  std::string records;        // tuning records; empty: none
  std::string kernelTimes;    // file of measured times to schedule by; empty: estimates
  std::string localise;       // "on", "off" or "always"; empty: as the compiler thinks best
  driver::FaultInjection faults;
  std::set<std::string> given; // names of those flags that were on the command line
};

struct CompileOptions {
  BuildFlags build;
  std::string output = ".";
  std::string emit = "library";    // "c" or "program"
  std::string loops = "auto";      // of C: "vectors", "plain"; auto: by the target
  bool withTest = false;           // of C: a test bench
  std::vector<std::string> inputs; // of the test bench
  std::string name;                // prefix of symbols; empty: from the file's name
  std::string weights = "linked";  // or "file"
  std::string stopAfter;           // a stage: print its IR and write nothing
  std::string scheduleReport;      // file to draw the schedule of threads in
  double deadlineMs = 0;           // least energy within this time; 0: none
  bool verifyStages = false;
  std::string sanitize; // "thread"; empty: none
  bool isJson = false;
};

struct RunOptions {
  BuildFlags build;
  std::vector<std::string> inputs; // "[NAME=]FILE" or "[NAME=]random[:seed]"
  int64_t top = 0;
  std::string labels;
  std::string output;         // folder; empty: nothing is written
  std::string format = "npy"; // or "pb"
  bool isJson = false;
};

struct CheckOptions {
  BuildFlags build;
  std::vector<std::string> inputs;
  std::vector<std::string> goldens; // folders
  std::vector<std::string> targets = {"host"};
  bool isExact = false;   // bytes have to be equal
  bool hasLayers = false; // report the distance of integer layers to ONNX's arithmetic
  bool isJson = false;
};

struct BenchOptions {
  BuildFlags build; // of each model
  std::vector<std::string> models;
  std::vector<int64_t> threads = {1};
  std::string against;     // "onnxruntime"; empty: nothing
  std::string peerLibrary; // empty: as scripts/install-deps.sh --bench puts it
  int64_t samples = 30;
  std::string json;   // file; empty: none
  std::string output; // folder for the libraries; empty: a temporary one
  std::string matrix; // file of a sweep; empty: the models are measured as given
  std::string table;  // of a sweep: file for its table; empty: none
  bool hasLayers = false;
  bool isHot = false; // with layers: each kernel again and again on the same data
};

struct TuneOptions {
  BuildFlags build; // its records are the file to add to
  bool listTasks = false;
  std::string space; // file that changes spaces; empty: none
  tuning::NetworkSearch search;
  bool isJson = false;
};

struct RecordsOptions {
  enum class Action { Merge, Export, Import, Prune, List };
  Action action = Action::List;
  std::vector<std::string> files;
  std::string output; // of merge and import: the file that gets the records; of export: empty
                      // for stdout
  int64_t olderThanDays = 0;              // of prune, as all below; 0: none
  bool isStale = false, isFailed = false; // template versions but the newest; not ok
  int64_t keepFastest = 0;                // per key and layouts; 0: all
  bool isDryRun = false;
  bool isJson = false;
};

struct ExplainOptions {
  BuildFlags build;
  bool isJson = false;
};

struct ReportOptions {
  std::string tuning; // file of records
  std::string output = "report.html";
};

struct SweepOptions {
  /// A flag of the command line, the device's name for it, and the values to try.
  struct Axis {
    std::string flag, key;
    std::vector<std::string> values;
  };
  BuildFlags build;
  std::vector<Axis> axes;
  std::string html; // file of the picture; empty for none
  bool isJson = false;
};

struct InspectOptions {
  io::ModelFlags model;
  bool isJson = false;
  /// Loadables of NVDLA only: a file for the picture, and the hardware whose cycles to estimate.
  std::string svg, config;
};

struct OpsOptions {
  bool isMarkdown = false, isJson = false;
};

struct TargetsOptions {
  std::string name; // of the target to describe; empty: list all
  bool isJson = false;
  bool isMarkdown = false; // what each device runs
};

} // namespace convoy::tool
