// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the emitted object with ORC. The object can access only the memory functions of the C
// library, the thread functions of the runtime, its weights and the functions of custom ops. Any
// other undefined symbol is an error.

#include "Codegen/LLVM/LoadedModel.h"
#include "Codegen/LLVM/ModelTable.h"
#include "Codegen/LLVM/Object.h"
#include "Codegen/LLVM/Passes.h"
#include "Codegen/LLVM/Weights.h"
#include "Graph/Custom.h"
#include "convoy/convoy.h"
#include "runtime/core/pool.h"
#include "runtime/core/power.h"
#include "runtime/core/share.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <cstring>
#include <map>

using namespace mlir;

namespace convoy::codegen {
namespace {

constexpr int64_t kBufferAlignmentBytes = 64;

using RunFunction = int32_t (*)(const void *const *, void *const *, void *);
using InitFunction = int32_t (*)(const convoy_device *);

/// Allocates the memory of a tensor or of the workspace.
llvm::Expected<std::shared_ptr<void>> allocate(int64_t bytes) {
  size_t rounded = llvm::alignTo(std::max<int64_t>(bytes, 1), kBufferAlignmentBytes);
  std::shared_ptr<void> buffer(std::aligned_alloc(kBufferAlignmentBytes, rounded), std::free);
  if (!buffer) {
    return llvm::createStringError("cannot allocate %zu bytes to run the model", rounded);
  }
  return buffer;
}

llvm::Error describeCode(int32_t code) {
  switch (code) {
  case CONVOY_OK:
    return llvm::Error::success();
  case CONVOY_ERROR_NULL_POINTER:
    return llvm::createStringError("a pointer in inputs or outputs, or the workspace, is null");
  case CONVOY_ERROR_UNSUPPORTED_CPU:
    return llvm::createStringError("this CPU lacks instructions that the model was compiled for");
  case CONVOY_ERROR_FAILED_BRANCH:
    return llvm::createStringError("the data selects a branch of an If that cannot be compiled "
                                   "for the pinned shapes");
  case CONVOY_ERROR_WORKSPACE:
    return llvm::createStringError("the workspace is not aligned to 64 bytes");
  case CONVOY_ERROR_NO_DEVICE:
  case CONVOY_ERROR_PROGRAM:
  case CONVOY_ERROR_DEVICE:
  case CONVOY_ERROR_CUSTOM_OP:
    return llvm::createStringError(convoy_error_text(code));
  default:
    return llvm::createStringError("the model returned an unknown code: " + std::to_string(code));
  }
}

/// The table's type of error_text has an int32_t, which may differ from int.
const char *errorText(int32_t code) { return convoy_error_text(code); }

llvm::Error checkCpu(const targets::Target &target) {
  std::string problem = targets::whyNotHere(target);
  if (problem.empty()) {
    return llvm::Error::success();
  }
  return llvm::createStringError("cannot run code for target '" + target.name +
                                 "' here: " + problem + "; compile for --target=host");
}

} // namespace

struct LoadedModel::Code {
  llvm::sys::OwningMemoryBlock weights;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  RunFunction run = nullptr;
  InitFunction init = nullptr; // null if there are no programs
  std::unique_ptr<ModelTable> table;

  llvm::Error loadWeights(ModuleOp module, int64_t bytes);
  llvm::Error loadObject(const ObjectBytes &object, llvm::StringRef model, bool hasPrograms);
  /// Finds the functions of custom ops. Call it before loadObject().
  llvm::Error findFunctions(MLIRContext *context, llvm::ArrayRef<std::string> names);
  void describe(const ModelInterface &interface);

private:
  llvm::Error defineSymbols(llvm::StringRef model);

  std::map<std::string, convoy_custom_function *> functions;
};

llvm::Error LoadedModel::Code::findFunctions(MLIRContext *context,
                                             llvm::ArrayRef<std::string> names) {
  const graph::CustomFunctions *known = graph::CustomFunctions::of(context);
  for (const std::string &name : names) {
    if (!known) {
      return llvm::createStringError("the model calls the function '" + name +
                                     "', which only --custom-ops provides");
    }
    llvm::Expected<convoy_custom_function *> function = known->find(name);
    if (!function) {
      return function.takeError();
    }
    functions[name] = *function;
  }
  return llvm::Error::success();
}

llvm::Error LoadedModel::Code::loadWeights(ModuleOp module, int64_t bytes) {
  std::error_code error;
  weights = llvm::sys::OwningMemoryBlock(llvm::sys::Memory::allocateMappedMemory(
      std::max<int64_t>(bytes, kBufferAlignmentBytes), nullptr,
      llvm::sys::Memory::MF_READ | llvm::sys::Memory::MF_WRITE, error));
  if (error) {
    return llvm::createStringError(error, "cannot allocate %lld bytes for the weights: %s",
                                   static_cast<long long>(bytes), error.message().c_str());
  }
  char *base = static_cast<char *>(weights.base());
  return forEachWeight(module, [&](int64_t offset, const Tensor &tensor) {
    std::memcpy(base + offset, tensor.raw(), tensor.bytes());
    return llvm::Error::success();
  });
}

llvm::Error LoadedModel::Code::defineSymbols(llvm::StringRef model) {
  llvm::orc::MangleAndInterner mangle(jit->getExecutionSession(), jit->getDataLayout());
  auto address = [](const void *pointer) {
    return llvm::orc::ExecutorSymbolDef(llvm::orc::ExecutorAddr::fromPtr(pointer),
                                        llvm::JITSymbolFlags::Exported);
  };
  llvm::orc::SymbolMap symbols;
  symbols[mangle((model + "_weights").str())] = address(weights.base());
  symbols[mangle("memcpy")] = address(reinterpret_cast<const void *>(&std::memcpy));
  symbols[mangle("memmove")] = address(reinterpret_cast<const void *>(&std::memmove));
  symbols[mangle("memset")] = address(reinterpret_cast<const void *>(&std::memset));
  symbols[mangle("convoy_region_run")] =
      address(reinterpret_cast<const void *>(&convoy_region_run));
  symbols[mangle("convoy_flag_wait")] = address(reinterpret_cast<const void *>(&convoy_flag_wait));
  symbols[mangle("convoy_flag_wake")] = address(reinterpret_cast<const void *>(&convoy_flag_wake));
  symbols[mangle("convoy_power_request")] =
      address(reinterpret_cast<const void *>(&convoy_power_request));
  symbols[mangle("convoy_share_take")] =
      address(reinterpret_cast<const void *>(&convoy_share_take));
  symbols[mangle("convoy_load_program")] =
      address(reinterpret_cast<const void *>(&convoy_load_program));
  symbols[mangle("convoy_run_program")] =
      address(reinterpret_cast<const void *>(&convoy_run_program));
  for (const auto &[name, function] : functions) {
    symbols[mangle(name)] = address(reinterpret_cast<const void *>(function));
  }
  return jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
}

llvm::Error LoadedModel::Code::loadObject(const ObjectBytes &object, llvm::StringRef model,
                                          bool hasPrograms) {
  auto created = llvm::orc::LLJITBuilder()
                     .setLinkProcessSymbolsByDefault(false)
                     .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                     .create();
  if (!created) {
    return created.takeError();
  }
  jit = std::move(*created);
  if (llvm::Error error = defineSymbols(model)) {
    return error;
  }
  auto buffer =
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()), model);
  if (llvm::Error error = jit->addObjectFile(std::move(buffer))) {
    return error;
  }
  auto symbol = jit->lookup((model + "_run").str());
  if (!symbol) {
    return symbol.takeError();
  }
  run = symbol->toPtr<RunFunction>();
  if (hasPrograms) {
    auto initSymbol = jit->lookup((model + "_init").str());
    if (!initSymbol) {
      return initSymbol.takeError();
    }
    init = initSymbol->toPtr<InitFunction>();
  }
  return llvm::Error::success();
}

LoadedModel::LoadedModel() : code(std::make_unique<Code>()) {}
LoadedModel::~LoadedModel() = default;

llvm::Expected<std::unique_ptr<LoadedModel>> LoadedModel::load(ModuleOp module,
                                                               const CodegenOptions &options) {
  if (llvm::Error error = checkCpu(options.target)) {
    return error;
  }
  if (llvm::Error error = lowerModule(module, options)) {
    return error;
  }
  llvm::Expected<ModelInterface> interface = readInterface(module);
  if (!interface) {
    return interface.takeError();
  }
  llvm::Expected<ObjectBytes> object = emitObject(module, options);
  if (!object) {
    return object.takeError();
  }
  std::unique_ptr<LoadedModel> model(new LoadedModel());
  model->interface = std::move(*interface);
  llvm::Expected<std::string> weightsHash = hashWeights(module);
  if (!weightsHash) {
    return weightsHash.takeError();
  }
  model->interface.hash = hashModel(*object, *weightsHash);
  model->interface.weightsHash = std::move(*weightsHash);
  model->interface.target = options.target.name;
  model->interface.features = llvm::join(options.target.features, ",");
  if (llvm::Error error = model->code->loadWeights(module, model->interface.weightsBytes)) {
    return error;
  }
  if (llvm::Error error =
          model->code->findFunctions(module.getContext(), model->interface.customFunctions)) {
    return error;
  }
  if (llvm::Error error = model->code->loadObject(*object, options.model, model->hasPrograms())) {
    return error;
  }
  model->code->describe(model->interface);
  return model;
}

void LoadedModel::Code::describe(const ModelInterface &interface) {
  table = std::make_unique<ModelTable>(interface);
  table->table.run = run;
  table->table.error_text = errorText;
  table->table.init = init;
}

const convoy_model &LoadedModel::table() const { return code->table->table; }

llvm::Error LoadedModel::init(const convoy_device &device) const {
  return code->init ? describeCode(code->init(&device)) : llvm::Error::success();
}

llvm::Error LoadedModel::run(llvm::ArrayRef<const void *> in, llvm::ArrayRef<void *> out,
                             void *workspace) const {
  size_t written = outputs().size() + (interface.extents > 0 ? 1 : 0);
  if (in.size() != inputs().size() || out.size() != written) {
    return llvm::createStringError("the model has %zu inputs and %zu outputs, got %zu and %zu",
                                   inputs().size(), written, in.size(), out.size());
  }
  return describeCode(code->run(in.data(), out.data(), workspace));
}

llvm::Expected<std::vector<Tensor>> LoadedModel::run(llvm::ArrayRef<Tensor> in) const {
  if (llvm::Error error = checkInputs(inputs(), in)) {
    return error;
  }
  std::vector<std::shared_ptr<void>> copies;
  std::vector<const void *> inputPointers;
  for (const Tensor &tensor : in) {
    // Views of files may be unaligned, so the model gets copies.
    llvm::Expected<std::shared_ptr<void>> copy = allocate(tensor.bytes());
    if (!copy) {
      return copy.takeError();
    }
    std::memcpy(copy->get(), tensor.raw(), tensor.bytes());
    inputPointers.push_back(copy->get());
    copies.push_back(std::move(*copy));
  }
  std::vector<Tensor> results;
  std::vector<void *> outputPointers;
  for (const TensorDescriptor &output : writtenTensors(interface)) {
    llvm::Expected<std::shared_ptr<void>> bytes = allocate(output.bytes);
    if (!bytes) {
      return bytes.takeError();
    }
    outputPointers.push_back(bytes->get());
    results.push_back(Tensor::view(output.type, output.shape, bytes->get(), *bytes));
  }
  llvm::Expected<std::shared_ptr<void>> workspace = allocate(workspaceBytes());
  if (!workspace) {
    return workspace.takeError();
  }
  if (llvm::Error error = run(inputPointers, outputPointers, workspace->get())) {
    return error;
  }
  return readOutputs(interface, std::move(results));
}

} // namespace convoy::codegen
