// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command line says, as plain data: one struct per verb, made of the
// parts that verbs share. Texts that need the model to be understood stay text
// here; ModelFlags and InputData read them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::driver {

/// Which model, with what pinned.
struct ModelOptions {
  std::string path;
  std::vector<std::string> inputShapes; // "data:1x3x224x224"
  std::vector<std::string> dims;        // "batch=1"
  std::vector<std::string> constants;   // "shape=file.pb"
};

/// How an image becomes a tensor: (pixel * scale - mean) / std per channel.
struct ImageOptions {
  std::string resize = "auto";          // "none", "256" (short side), "320x240"
  std::string crop = "center";          // or "none"
  std::string color;                    // "rgb", "bgr", "gray"; empty: by channel count
  std::string layout;                   // "nchw", "nhwc"; empty: by shape
  std::vector<double> mean, std, scale; // empty: by element type
};

/// Bugs that tests plant in the compiler.
struct PlantOptions {
  std::vector<std::string> plugins; // files of pass plug-ins
  std::vector<std::string> plants;  // "convoy-fusion-fuse-kernels:planted-drop-op"
};

struct InputOptions {
  std::vector<std::string> inputs; // "[NAME=]FILE" or "[NAME=]random[:seed]"
  ImageOptions image;
  std::string flag = "--input"; // the flag that named the inputs, for errors
};

struct CompileOptions {
  ModelOptions model;
  std::string output = ".";
  std::string target = "host";
  std::string cpu;                // with a device: the machine beside it; empty: this one
  std::string emit = "library";   // or "c"
  std::string loops = "auto";     // of C: "vectors", "plain"; auto: by the target
  bool withTest = false;          // of C: a test bench
  InputOptions input;             // of the test bench; its image flags are of calibrate, too
  std::string name;               // prefix of symbols; empty: from the file's name
  std::string weights = "linked"; // or "file"
  std::string stopAfter;          // a stage: print its IR and write nothing
  std::string math = "fast";      // or "strict"
  std::string integer = "on";     // or "off"
  std::string calibrate;          // folder of samples to quantise a float model by; empty: none
  int64_t threads = 1;            // 0: as many as the target has cores
  std::string scheduleReport;     // file to draw the schedule of threads in
  std::string records;            // tuning records; empty: none
  std::string kernelTimes;        // file of measured times to schedule by; empty: estimates
  std::string localise;           // "on", "off" or "always"; empty: as the compiler thinks best
  double deadlineMs = 0;          // least energy within this time; 0: none
  bool verifyStages = false;
  std::string sanitize; // "thread"; empty: none
  PlantOptions plants;
  bool isJson = false;
};

struct RunOptions {
  ModelOptions model;
  InputOptions input;
  std::string target = "host";
  std::string math = "fast";  // or "strict"
  std::string integer = "on"; // or "off"
  std::string calibrate;      // as of compile
  int64_t threads = 0;
  int64_t top = 0;
  std::string labels;
  std::string output;         // folder; empty: nothing is written
  std::string format = "npy"; // or "pb"
  PlantOptions plants;
  bool isJson = false;
};

struct CheckOptions {
  ModelOptions model;
  InputOptions input;
  std::vector<std::string> goldens; // folders
  std::vector<std::string> targets = {"host"};
  bool isExact = false;       // bytes have to be equal
  bool hasLayers = false;     // report the distance of integer layers to ONNX's arithmetic
  std::string math = "fast";  // or "strict"
  std::string integer = "on"; // or "off"
  std::string calibrate;      // as of compile
  int64_t threads = 1;
  PlantOptions plants;
  bool isJson = false;
};

struct BenchOptions {
  std::vector<std::string> models;
  ModelOptions model; // what is pinned in each of them; no path
  std::vector<int64_t> threads = {1};
  std::string math = "fast";  // or "strict"
  std::string integer = "on"; // or "off"
  std::string target = "host";
  std::string against;     // "onnxruntime"; empty: nothing
  std::string peerLibrary; // empty: as scripts/install-deps.sh --bench puts it
  int64_t samples = 30;
  std::string json;        // file; empty: none
  std::string output;      // folder for the libraries; empty: a temporary one
  std::string kernelTimes; // as of compile
  std::string records;     // as of compile
  std::string matrix;      // file of a sweep; empty: the models are measured as given
  std::string table;       // of a sweep: file for its table; empty: none
  bool hasLayers = false;
  bool isHot = false; // with layers: each kernel again and again on the same data
};

struct TuneOptions {
  ModelOptions model;
  std::string target = "host";
  std::string math = "fast";  // or "strict"
  std::string integer = "on"; // or "off"
  int64_t threads = 1;        // 0: as many as the target has cores
  bool listTasks = false;
  std::string space;   // file that changes spaces; empty: none
  std::string records; // file to add to
  int64_t trials = 0;  // in all; 0: no bound
  double seconds = 0;  // 0: no bound
  size_t batch = 8;
  double timeoutMs = 10000;       // of one candidate
  double waitSeconds = 60;        // for a free core, in all
  double targetMs = 0;            // enough when an inference is estimated to take this; 0: never
  bool isWithoutTransfer = false; // each task starts with nothing that others have taught
  std::string searcher = "mixed";
  uint64_t seed = 0;
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
  ModelOptions model;
  std::string target;
  std::string calibrate; // as of compile
  ImageOptions image;    // of calibrate
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
  ModelOptions model;
  std::string target;
  std::string calibrate; // as of compile
  ImageOptions image;    // of calibrate
  std::vector<Axis> axes;
  std::string html; // file of the picture; empty for none
  bool isJson = false;
};

struct InspectOptions {
  ModelOptions model;
  bool isJson = false;
  /// Loadables of NVDLA only: a file for the picture, and the hardware whose cycles to estimate.
  std::string svg, config;
};

struct OpsOptions {
  bool isMarkdown = false, isJson = false;
};

struct TargetsOptions {
  bool isJson = false;
  bool isMarkdown = false; // what each device runs
};

} // namespace convoy::driver
