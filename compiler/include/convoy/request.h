// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compile is asked for, one member per concern. The target decides by itself about
// vectors, dot products and tiles.

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

/// What is fixed about a model's inputs.
struct InputPins {
  /// Whole shapes by input name; -1 leaves a dimension to `dims`.
  std::map<std::string, std::vector<int64_t>> shapes;
  /// Sizes of named dimensions.
  std::map<std::string, int64_t> dims;
  /// Inputs that become constants of the model.
  NamedTensors constants;
  /// Dimensions may stay open; only the reference runs such a model.
  bool allowsOpenDims = false;
};

struct TargetRequest {
  /// A machine, a device, `c`, `c-plain`, `reference`, or a description ending in .json.
  std::string name = "host";
  /// With a device: the machine beside it; empty: this one.
  std::string cpu;
  /// A device whose integer arithmetic the reference or a CPU follows; empty: their own.
  std::string arithmeticOf;
  /// With `reference`: a device whose layers it runs instead of the model's nodes.
  std::string layersOf;
};

enum class Emit {
  Library, ///< <name>.so and <name>.h.
  Source,  ///< <name>.c and <name>.h.
  Program, ///< What a device runs, as files of its own kind.
  Memory,  ///< A model that runs in this process.
};

enum class WeightsPlace {
  Linked, ///< In the library.
  File,   ///< Beside it; <name>_open maps them.
};

/// How emitted C writes inner loops.
enum class SourceLoops {
  Target,  ///< As the target's description says.
  Vectors, ///< Types and operators of the vector extension of gcc and clang.
  Plain,   ///< Loops over lanes, for compilers that vectorize them.
};

struct OutputRequest {
  Emit emit = Emit::Library;
  /// Made when missing.
  std::string folder = ".";
  /// Of files and C symbols; empty: the model's.
  std::string name;
  WeightsPlace weights = WeightsPlace::Linked;
  SourceLoops loops = SourceLoops::Target;
  /// The program that compiles emitted C which is to run in this process; empty: the first
  /// of clang-19, clang, gcc and cc on the path.
  std::string cCompiler;
  /// Of C: a test bench with these inputs and what the reference gives for them.
  std::optional<NamedTensors> testInputs;
};

enum class Math {
  Fast,   ///< May use Winograd's algorithm.
  Strict, ///< Keeps to direct algorithms, whose rounding is that of a plain sum.
};

struct NumericsRequest {
  Math math = Math::Fast;
  /// Make integer layers of quantised ones; else keep to ONNX's float arithmetic.
  bool isInteger = true;
};

enum class Localise { Default, On, Off, Always };

struct ScheduleRequest {
  /// Threads of an inference; 0: one for each core of the target.
  int64_t threads = 1;
  /// Measured nanoseconds by kernel name, for several threads; empty: estimates.
  std::map<std::string, double> kernelNs;
  Localise localise = Localise::Default;
  /// Least energy within this time, by the target's power states; 0: none.
  double deadlineMs = 0;
  /// File to draw the schedule in; empty: none.
  std::string report;
};

/// Inputs that a model is calibrated on.
class CONVOY_API SampleSource {
public:
  virtual ~SampleSource() = default;
  virtual size_t size() const = 0;
  /// Names a sample in messages.
  virtual std::string nameOf(size_t index) const = 0;
  virtual Result<NamedTensors> read(size_t index) const = 0;
};

struct DebuggingRequest {
  /// Check after each stage what the next one relies on; unset: in builds with assertions.
  std::optional<bool> verifiesStages;
  /// The last stage that runs: the artefact is then the text of its IR, and nothing is
  /// written. Empty: all stages run.
  std::string stopAfter;
  /// Instrument the code with ThreadSanitizer.
  bool sanitizesThreads = false;
  /// Write a reproducer if a stage fails by a bug of the compiler: a file
  /// `<model>.convoy-reproducer.mlir` in the working directory, or in the temporary folder if
  /// the working directory is not writable. The last error names the file.
  bool writesReproducer = false;
  /// Let the program that loads the model time its kernels.
  bool hasProbes = false;
};

/// A step of a compile has begun.
struct CompileStep {
  std::string name;
  int number = 0, total = 0;
};

struct CompileRequest {
  InputPins inputs;
  TargetRequest target;
  OutputRequest output;
  NumericsRequest numerics;
  ScheduleRequest schedule;
  /// Quantise a float model to 8 bits by these samples; null: keep it.
  std::shared_ptr<const SampleSource> calibration;
  /// Choose kernels by what was measured; null: by estimates.
  std::shared_ptr<const layout::Measurements> measurements;
  DebuggingRequest debugging;
  /// Called when a step begins, when set.
  std::function<void(const CompileStep &)> progress;
};

} // namespace convoy
