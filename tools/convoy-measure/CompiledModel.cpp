// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a compiled model like any other program does, with convoy_load.

#include "Program.h"
#include "convoy/load.h"
#include <cstdlib>
#include <dlfcn.h>

namespace convoy::measure {
namespace {

class CompiledModel : public Program {
public:
  CompiledModel(const Spec &spec, const CompiledSpec &compiled)
      : in(readInputs(spec.inputs)), out(allocateOutputs(spec)), specs(spec.outputs),
        path(compiled.library) {
    for (const Buffer &buffer : in) {
      inputPointers.push_back(buffer.get());
    }
    for (const Buffer &buffer : out) {
      outputPointers.push_back(buffer.get());
    }
    Stopwatch watch;
    char problem[1024];
    convoy_loaded *loaded = convoy_load(path.c_str(), problem, sizeof(problem));
    if (!loaded) {
      fail(problem);
    }
    model = convoy_loaded_model(loaded);
    workspace = allocate(model->workspace_bytes);
    extents = allocate(model->extent_count * sizeof(int64_t));
    outputPointers.push_back(extents.get());
    loadMs = watch.ms();
  }
  // The library stays loaded, because its workers may still be running. The process ends soon.

  void run() override {
    int32_t code = model->run(inputPointers.data(), outputPointers.data(), workspace.get());
    if (code != CONVOY_OK) {
      fail("the compiled model failed: " + std::string(model->error_text(code)));
    }
  }

  std::vector<OutputView> outputs() const override {
    std::vector<OutputView> views;
    for (size_t i = 0; i < out.size(); ++i) {
      OutputView &view = views.emplace_back(OutputView{out[i].get(), specs[i].bytes, {}});
      int64_t most = 1, actual = 1;
      for (size_t dim = 0; dim < specs[i].shape.size(); ++dim) {
        view.shape.push_back(sizeOf(model->outputs[i], dim, specs[i].shape[dim]));
        most *= specs[i].shape[dim];
        actual *= view.shape.back();
      }
      // The elements of the actual shape come first and without gaps.
      view.bytes = actual == most ? view.bytes : view.bytes / most * actual;
    }
    return views;
  }

  /// Returns for each output whether its size depends on data.
  std::vector<bool> openOutputs() const override {
    std::vector<bool> open;
    for (uint32_t i = 0; i < model->output_count; ++i) {
      open.push_back(model->outputs[i].dims != nullptr);
    }
    return open;
  }

  /// Returns the variable <model>_probe, which is not a part of the table. Null if the library was
  /// compiled without probes.
  Probe *findProbe() const {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    std::string name = std::string(model->name) + "_probe";
    return static_cast<Probe *>(library ? dlsym(library, name.c_str()) : nullptr);
  }

  Probe &probe() const {
    Probe *found = findProbe();
    if (!found) {
      fail("the compiled model has no '" + std::string(model->name) + "_probe'");
    }
    return *found;
  }

private:
  /// Returns the size of a dimension, which the last run wrote if it depends on data.
  int64_t sizeOf(const convoy_tensor &tensor, size_t dim, int64_t known) const {
    bool isKnown = !tensor.dims || tensor.dims[dim] < 0;
    return isKnown ? known : reinterpret_cast<const int64_t *>(extents.get())[tensor.dims[dim]];
  }

  std::vector<Buffer> in, out;
  std::vector<TensorSpec> specs; // of the outputs
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  std::string path;
  const convoy_model *model = nullptr;
  Buffer workspace{nullptr, std::free}, extents{nullptr, std::free};
};

/// Runs each kernel once and measures nothing. A library with probes calls it twice per kernel.
int32_t runOnce(int64_t) {
  thread_local bool hasRun = true;
  hasRun = !hasRun;
  return hasRun ? 0 : 1;
}

} // namespace

std::unique_ptr<Program> openCompiledModel(const Spec &spec) {
  auto model = std::make_unique<CompiledModel>(spec, spec.compiled);
  if (Probe *probe = model->findProbe()) {
    *probe = runOnce;
  }
  return model;
}

std::unique_ptr<Program> openPlainModel(const Spec &spec) {
  return std::make_unique<CompiledModel>(spec, spec.plain);
}

std::unique_ptr<Program> openProbedModel(const Spec &spec, Probe probe) {
  auto model = std::make_unique<CompiledModel>(spec, spec.compiled);
  model->probe() = probe;
  return model;
}

} // namespace convoy::measure
