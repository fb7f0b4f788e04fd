// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls ONNX Runtime through its C interface. The npm package contains the library but no
// header. The interface is a table of functions to which new versions only append, so a
// position never changes its meaning.

#include "Program.h"
#include <dlfcn.h>

namespace convoy::measure {
namespace {

// The requested version of the table. Every later library provides it.
constexpr uint32_t kApiVersion = 23;

// Positions in the table.
enum Position : size_t {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetGraphOptimizationLevel = 23,
  kSetIntraOpThreads = 24,
  kSetInterOpThreads = 25,
  kCreateTensorWithData = 49,
  kGetTensorData = 51,
  kGetDimensionsCount = 61,
  kGetDimensions = 62,
  kGetElementCount = 64,
  kGetTypeAndShape = 65,
  kCreateCpuMemoryInfo = 69,
  kReleaseValue = 96,
  kReleaseTypeAndShape = 99,
};

constexpr int kWarnings = 3;     // logging level: errors only
constexpr int kOptimizeAll = 99; // graph optimization level
constexpr int kOptimizeNothing = 0;
constexpr int kDeviceAllocator = 0; // the caller provides the memory
constexpr int kDefaultMemory = 0;

struct Base {
  const void *const *(*getApi)(uint32_t version);
  const char *(*getVersion)();
};

/// The functions by position. A function that can fail returns a status; null means success.
class Api {
public:
  explicit Api(const std::string &path) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fail(std::string("cannot load ONNX Runtime: ") + dlerror());
    }
    auto getBase = reinterpret_cast<const Base *(*)()>(dlsym(library, "OrtGetApiBase"));
    if (!getBase) {
      fail("'" + path + "' is not ONNX Runtime: it has no OrtGetApiBase");
    }
    table = getBase()->getApi(kApiVersion);
    if (!table) {
      fail(std::string("ONNX Runtime ") + getBase()->getVersion() +
           " is too old; install 1.23 or later");
    }
  }

  /// Calls a function that cannot fail.
  void release(Position position, void *object) const {
    reinterpret_cast<void (*)(void *)>(const_cast<void *>(table[position]))(object);
  }

  template <typename... Arguments>
  void call(Position position, Arguments... arguments) const {
    auto function = reinterpret_cast<void *(*)(Arguments...)>(const_cast<void *>(table[position]));
    if (void *status = function(arguments...)) {
      auto message =
          reinterpret_cast<const char *(*)(void *)>(const_cast<void *>(table[kGetErrorMessage]));
      fail(std::string("ONNX Runtime failed: ") + message(status));
    }
  }

private:
  const void *const *table = nullptr;
};

class OnnxRuntime : public Program {
public:
  explicit OnnxRuntime(const Spec &spec)
      : api(spec.peer.library), in(readInputs(spec.inputs)),
        constants(readInputs(spec.peer.inputs)), out(allocateOutputs(spec)), specs(spec.outputs) {
    void *options = nullptr;
    api.call(kCreateEnv, kWarnings, "convoy-measure", &environment);
    api.call(kCreateSessionOptions, &options);
    api.call(kSetGraphOptimizationLevel, options,
             spec.peer.isOptimized ? kOptimizeAll : kOptimizeNothing);
    api.call(kSetIntraOpThreads, options, spec.threads);
    api.call(kSetInterOpThreads, options, 1);
    Stopwatch watch;
    api.call(kCreateSession, environment, spec.peer.model.c_str(), options, &session);
    loadMs = watch.ms();
    api.call(kCreateCpuMemoryInfo, kDeviceAllocator, kDefaultMemory, &memory);
    bind(spec.inputs, in, inputNames, inputValues);
    bind(spec.peer.inputs, constants, inputNames, inputValues);
    bind(spec.outputs, out, outputNames, outputValues);
  }
  // Nothing is released, because the process ends soon.

  void run() override {
    releaseOpenOutputs();
    api.call(kRun, session, static_cast<void *>(nullptr), inputNames.data(),
             static_cast<const void *>(inputValues.data()), inputValues.size(), outputNames.data(),
             outputNames.size(), static_cast<void *>(outputValues.data()));
  }

  std::vector<OutputView> outputs() const override {
    std::vector<OutputView> views;
    for (size_t i = 0; i < out.size(); ++i) {
      views.push_back(specs[i].isOpen ? viewOf(specs[i], outputValues[i])
                                      : OutputView{out[i].get(), specs[i].bytes, specs[i].shape});
    }
    return views;
  }

private:
  /// Releases the values of the last run whose sizes depend on data. A run allocates them.
  void releaseOpenOutputs() {
    for (size_t i = 0; i < specs.size(); ++i) {
      if (specs[i].isOpen && outputValues[i]) {
        api.release(kReleaseValue, outputValues[i]);
        outputValues[i] = nullptr;
      }
    }
  }

  /// Returns the data and the shape of a value that a run allocated.
  OutputView viewOf(const TensorSpec &spec, void *value) const {
    void *info = nullptr, *data = nullptr;
    size_t rank = 0, elements = 0, most = 1;
    api.call(kGetTypeAndShape, static_cast<const void *>(value), &info);
    api.call(kGetDimensionsCount, static_cast<const void *>(info), &rank);
    OutputView view;
    view.shape.resize(rank);
    api.call(kGetDimensions, static_cast<const void *>(info), view.shape.data(), rank);
    api.call(kGetElementCount, static_cast<const void *>(info), &elements);
    api.call(kGetTensorData, value, &data);
    api.release(kReleaseTypeAndShape, info);
    for (int64_t size : spec.shape) {
      most *= static_cast<size_t>(size);
    }
    view.data = static_cast<const char *>(data);
    view.bytes = most == 0 ? 0 : spec.bytes / most * elements;
    return view;
  }

  /// Creates values that refer to the buffers, so that a run copies no data. ONNX Runtime allocates
  /// outputs whose sizes depend on data, because it requires the actual size of a buffer.
  void bind(const std::vector<TensorSpec> &tensors, const std::vector<Buffer> &buffers,
            std::vector<const char *> &names, std::vector<void *> &values) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const TensorSpec &tensor = tensors[i];
      void *value = nullptr;
      if (!tensor.isOpen) {
        api.call(kCreateTensorWithData, memory, static_cast<void *>(buffers[i].get()), tensor.bytes,
                 tensor.shape.data(), tensor.shape.size(), tensor.type, &value);
      }
      names.push_back(tensor.name.c_str());
      values.push_back(value);
    }
  }

  Api api;
  std::vector<Buffer> in, constants, out;
  std::vector<TensorSpec> specs;                     // of the outputs
  std::vector<const char *> inputNames, outputNames; // from the specification
  std::vector<void *> inputValues, outputValues;
  void *environment = nullptr, *session = nullptr, *memory = nullptr;
};

} // namespace

std::unique_ptr<Program> openOnnxRuntime(const Spec &spec) {
  return std::make_unique<OnnxRuntime>(spec);
}

} // namespace convoy::measure
