// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The request of a compile, one member per concern. The description of the target
// determines vectors, dot products and tiles.

#pragma once

#include "convoy/result.h"
#include "convoy/tensor.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

namespace layout {
class Measurements;
} // namespace layout

/// Shapes and values of a model's inputs that are known at compile time.
struct InputPins {
  /// Shapes by input name. If a dimension is -1, `dims` can give its size.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// Sizes of named dimensions.
  std::map<std::string, int64_t> dims;
  /// Inputs that become constants of the model.
  NamedTensors constants;
  /// Allow open dimensions. Only the reference runs a model with open dimensions.
  bool allowsOpenDims = false;
};

struct TargetRequest {
  /// A machine, a device, `c`, `c-plain`, `reference`, or a description ending in .json.
  std::string name = "host";
  /// The CPU beside a device; empty: this machine.
  std::string cpu;
  /// A device whose integer arithmetic the reference or a CPU uses; empty: the default.
  std::string arithmeticOf;
  /// A device whose layers the reference runs instead of the model's nodes; empty: none.
  std::string layersOf;
};

/// Which of the ops that a device supports run on it.
enum class PlacePolicy {
  All,     ///< All of them.
  Fastest, ///< Those in regions that are estimated to be faster than on one CPU core.
};

struct PlacementRequest {
  PlacePolicy policy = PlacePolicy::All;
  /// Fail if no op runs on the device; else the compiler adds a warning.
  bool requiresDevice = false;
};

enum class Emit {
  Library, ///< <name>.so and <name>.h.
  Source,  ///< <name>.c and <name>.h.
  Program, ///< A device's programs, as files of the device's own format.
  Memory,  ///< A model that runs in this process.
};

enum class WeightsPlace {
  Linked, ///< Inside the library.
  File,   ///< In a file beside the library; <name>_open maps it.
};

/// The form of inner loops in emitted C.
enum class SourceLoops {
  Target,  ///< The form in the target's description.
  Vectors, ///< Types and operators of the vector extension of gcc and clang.
  Plain,   ///< Loops over lanes, for compilers that vectorize them.
};

/// Where the inputs and outputs of emitted C are.
enum class IoPlace {
  Caller, ///< In buffers of the caller.
  Arena,  ///< In the workspace, so that a run may overwrite an input after its last use.
  Rows,   ///< Outputs in the workspace. A run fetches rows of inputs from functions of the caller.
};

/// The memory of a microcontroller that a model may use, in bytes; 0: as much as the target has.
struct MemoryLimits {
  /// The workspace, the inputs and outputs outside the workspace, and the stack of a run.
  int64_t ramBytes = 0;
  /// The program with its weights.
  int64_t flashBytes = 0;
};

struct OutputRequest {
  Emit emit = Emit::Library;
  /// The output folder. The compiler creates it if it is missing.
  std::string folder = ".";
  /// The name of files and the prefix of C symbols; empty: the name of the model.
  std::string name;
  WeightsPlace weights = WeightsPlace::Linked;
  SourceLoops loops = SourceLoops::Target;
  IoPlace io = IoPlace::Caller;
  MemoryLimits limits;
  /// The C compiler for emitted C that runs in this process; empty: the first of clang-19,
  /// clang, gcc and cc on the path.
  std::string cCompiler;
  /// If set, Emit::Source also writes a test bench with these inputs and with the outputs of
  /// the reference.
  std::optional<NamedTensors> testInputs;
};

enum class Math {
  Fast,   ///< May use Winograd's algorithm.
  Strict, ///< Uses only direct algorithms, which round like a plain sum.
};

struct NumericsRequest {
  Math math = Math::Fast;
  /// Compute quantised layers in integers; else in ONNX's float arithmetic.
  bool isInteger = true;
};

/// When to split layers into bands of rows that stay in a core's cache. The default is off; on a
/// microcontroller, the default runs layers row by row where this needs less memory.
enum class Localise { Default, On, Off, Always };

struct ScheduleRequest {
  /// Threads of an inference; 0: one per core of the target.
  int64_t threads = 1;
  /// Measured nanoseconds by kernel name, for a schedule of several threads; empty: the
  /// scheduler uses estimates.
  std::map<std::string, double> kernelNs;
  Localise localise = Localise::Default;
  /// Minimise energy within this time by the target's power states; 0: no deadline.
  double deadlineMs = 0;
  /// File for a drawing of the schedule; empty: none.
  std::string report;
};

/// The samples on which the compiler calibrates a model.
class CONVOY_API SampleSource {
public:
  virtual ~SampleSource() = default;
  virtual size_t size() const = 0;
  /// Returns the name of a sample for messages.
  virtual std::string nameOf(size_t index) const = 0;
  virtual Result<NamedTensors> read(size_t index) const = 0;
};

/// Which parts of the code the program that loads the model can time.
enum class Probes {
  None,
  Kernels,         ///< Each call of a kernel; its number is its index in CompileReport::kernels.
  KernelsAndWaits, ///< Also the waits of threads for each other; -1 - N is a wait for thread N.
};

struct DebuggingRequest {
  /// Check the contract of each stage; unset: only in builds with assertions.
  std::optional<bool> verifiesStages;
  /// The last stage that runs. The artefact is then the IR as text, and the compiler writes
  /// no file. Empty: all stages run.
  std::string stopAfter;
  /// Instrument the code with ThreadSanitizer.
  bool sanitizesThreads = false;
  /// Write a reproducer if a stage fails by a bug of the compiler: a file
  /// `<model>.convoy-reproducer.mlir` in the working directory, or in the temporary folder if
  /// the working directory is not writable. The last error names the file.
  bool writesReproducer = false;
  /// Instrument the code so that the program that loads the model can time it.
  Probes probes = Probes::None;
};

/// A step of a compile that begins.
struct CompileStep {
  std::string name;
  int number = 0, total = 0;
};

struct CompileRequest {
  InputPins inputs;
  TargetRequest target;
  PlacementRequest placement;
  OutputRequest output;
  NumericsRequest numerics;
  ScheduleRequest schedule;
  /// Quantise a float model to 8 bits with these samples; null: do not quantise.
  std::shared_ptr<const SampleSource> calibration;
  /// Choose kernels by these measurements; null: by estimates.
  std::shared_ptr<const layout::Measurements> measurements;
  DebuggingRequest debugging;
  /// If set, the compiler calls it when a step begins.
  std::function<void(const CompileStep &)> progress;
};

} // namespace convoy
