// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of the flags, as plain data: one struct per verb. The table of options (options/)
// generates the members of the flags; FlagKinds.h fills them. A value whose meaning depends on the
// model stays text; Request.h and io/ parse such values.

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
#define GET_SERVICE_FLAGS
#include "tools/convoy/Options.inc"
};

/// The flags of every verb that compiles. A verb refuses a flag that has no effect on it; see
/// refuseCpuFlags in Request.h.
struct BuildFlags {
  io::ModelFlags model;
  PlacementRequest placement; // which ops run on a device
  io::ImageFlags image;       // how an image becomes a tensor
  MemoryLimits limits;        // for a microcontroller
  driver::FaultInjection faults;
  bool needsDevice = false;       // the verb looks at a device
  std::set<std::string> given;    // the names of the flags on the command line
  std::vector<std::string> lines; // the flags on the command line, "--name=value" or "--name"
#define GET_BUILD_FLAGS
#include "tools/convoy/Options.inc"
};

/// Copies the options that are members of a request.
void setOptions(const BuildFlags &flags, CompileRequest &request);

struct CompileFlags {
  BuildFlags build;
  JsonFlag json;
#define GET_COMPILE_FLAGS
#include "tools/convoy/Options.inc"
};

void setOptions(const CompileFlags &flags, CompileRequest &request);

/// The format of the files that `run` writes.
enum class TensorFormat {
  Npy, ///< NumPy; ONNX for element types that NumPy lacks.
  Pb,  ///< ONNX.
};

/// Where compiled models are kept.
struct CacheFlags {
#define GET_CACHE_FLAGS
#include "tools/convoy/Options.inc"
};

struct RunFlags {
  BuildFlags build;
  io::DatasetFlags data; // without data.data: one inference
  CacheFlags cache;
  JsonFlag json;
#define GET_RUN_FLAGS
#include "tools/convoy/Options.inc"
};

struct CheckFlags {
  BuildFlags build;
  io::DatasetFlags data; // samples to compare on; data.data empty: none
  JsonFlag json;
#define GET_CHECK_FLAGS
#include "tools/convoy/Options.inc"
};

/// The flags of `reduce`: those of `check`, which its tests get, and its own.
struct ReduceFlags : CheckFlags {
  std::vector<std::string> forwarded; // the flags for the tests, as the user gave them
#define GET_REDUCE_FLAGS
#include "tools/convoy/Options.inc"
};

/// The program that `bench` measures in turn with the model.
enum class Peer { None, OnnxRuntime };

struct BenchFlags {
  BuildFlags build;      // shared by all models
  io::DatasetFlags data; // its first sample is the input; data.data empty: none
  JsonFlag json;
#define GET_BENCH_FLAGS
#include "tools/convoy/Options.inc"
};

struct QuantizeFlags {
  BuildFlags build; // the model, the target and the conversion of images
  io::DatasetFlags data;
  quantizer::QuantizeOptions options;
  JsonFlag json;
#define GET_QUANTIZE_FLAGS
#include "tools/convoy/Options.inc"
};

/// The job that `tune --service` creates.
struct TuneJob {
#define GET_TUNE_JOB
#include "tools/convoy/Options.inc"

  bool isGiven() const { return !urls.empty(); }
};

struct TuneFlags {
  BuildFlags build; // build.records is the file that tune extends
  tuning::NetworkSearch search;
  TuneJob job;
  JsonFlag json;
#define GET_TUNE_FLAGS
#include "tools/convoy/Options.inc"
};

struct JobsFlags {
  enum class Action { List, Show, Watch, Pause, Resume, Cancel, Extend, Fetch };
  Action action = Action::List;
  ServiceFlags service;
  JsonFlag json;
#define GET_JOBS_FLAGS
#include "tools/convoy/Options.inc"
};

struct DevicesFlags {
  enum class Action { List, Drain, Quarantine, Activate };
  Action action = Action::List;
  ServiceFlags service;
  JsonFlag json;
#define GET_DEVICES_FLAGS
#include "tools/convoy/Options.inc"
};

struct RecordsFlags {
  enum class Action { Merge, Export, Import, Prune, List };
  Action action = Action::List;
  JsonFlag json;
#define GET_RECORDS_FLAGS
#include "tools/convoy/Options.inc"
};

struct ExplainFlags {
  BuildFlags build;
  JsonFlag json;
#define GET_EXPLAIN_FLAGS
#include "tools/convoy/Options.inc"
};

struct ReportFlags {
  JsonFlag json;
#define GET_REPORT_FLAGS
#include "tools/convoy/Options.inc"
};

struct SweepFlags {
  /// A flag of the command line, the device's name for it, and the values to try.
  struct Axis {
    std::string flag, key;
    std::vector<std::string> values;
  };
  SweepFlags() { build.needsDevice = true; }

  BuildFlags build;
  std::vector<Axis> axes = {{"pes", "pes", {}},
                            {"memory", "memory_bytes", {}},
                            {"parallel", "parallel", {}},
                            {"tiling", "tiling", {}},
                            {"depthwise", "depthwise", {}}};
  JsonFlag json;
#define GET_SWEEP_FLAGS
#include "tools/convoy/Options.inc"
};

struct InspectFlags {
  io::ModelFlags model;
  JsonFlag json;
#define GET_INSPECT_FLAGS
#include "tools/convoy/Options.inc"
};

struct VerifyFlags {
  JsonFlag json;
#define GET_VERIFY_FLAGS
#include "tools/convoy/Options.inc"
};

struct OpsFlags {
  JsonFlag json;
#define GET_OPS_FLAGS
#include "tools/convoy/Options.inc"
};

struct TargetsFlags {
  JsonFlag json;
#define GET_TARGETS_FLAGS
#include "tools/convoy/Options.inc"
};

} // namespace convoy::tool
