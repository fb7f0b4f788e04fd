// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a compiled model like any other program does: dlopen, then <model>_run.

#include "Program.h"
#include <cstdlib>
#include <dlfcn.h>

namespace convoy::measure {
namespace {

using RunFunction = int (*)(const void *const *inputs, void *const *outputs, void *workspace);
using TextFunction = const char *(*)(int code);

class CompiledModel : public Program {
public:
  CompiledModel(const Spec &spec, const CompiledSpec &compiled)
      : in(readInputs(spec)), out(allocateOutputs(spec)), name(compiled.symbol) {
    for (const Buffer &buffer : in) {
      inputPointers.push_back(buffer.get());
    }
    for (const Buffer &buffer : out) {
      outputPointers.push_back(buffer.get());
    }
    Stopwatch watch;
    library = dlopen(compiled.library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fail(std::string("cannot load the compiled model: ") + dlerror());
    }
    function = reinterpret_cast<RunFunction>(symbol("run"));
    workspace = allocate(compiled.workspaceBytes);
    loadMs = watch.ms();
  }
  // The library stays loaded, because its workers may still be running. The process ends soon.

  void run() override {
    int code = function(inputPointers.data(), outputPointers.data(), workspace.get());
    if (code != 0) {
      auto text = reinterpret_cast<TextFunction>(symbol("error_text"));
      fail("the compiled model failed: " + std::string(text(code)));
    }
  }

  const std::vector<Buffer> &outputs() const override { return out; }

  void *symbol(const std::string &suffix) const {
    void *address = dlsym(library, (name + "_" + suffix).c_str());
    if (!address) {
      fail("the compiled model has no '" + name + "_" + suffix + "'");
    }
    return address;
  }

private:
  std::vector<Buffer> in, out;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  std::string name;
  void *library = nullptr;
  RunFunction function = nullptr;
  Buffer workspace{nullptr, std::free};
};

} // namespace

std::unique_ptr<Program> openCompiledModel(const Spec &spec) {
  return std::make_unique<CompiledModel>(spec, spec.compiled);
}

std::unique_ptr<Program> openPlainModel(const Spec &spec) {
  return std::make_unique<CompiledModel>(spec, spec.plain);
}

std::unique_ptr<Program> openProbedModel(const Spec &spec, Probe probe) {
  auto model = std::make_unique<CompiledModel>(spec, spec.compiled);
  *static_cast<Probe *>(model->symbol("probe")) = probe;
  return model;
}

} // namespace convoy::measure
