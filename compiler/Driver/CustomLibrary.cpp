// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the C compiler of the target in a temporary folder, which also holds a copy of
// convoy/custom_op.h. The header therefore belongs to the version of the compiler.

#include "Driver/CustomLibrary.h"
#include "Codegen/C/CustomHeader.h"
#include "Codegen/LLVM/ModelInterface.h"
#include "Driver/Backends/Micro/MicroTools.h"
#include "Driver/Backends/Source/CustomSource.h"
#include "Driver/Backends/Source/HostCompiler.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>

using namespace mlir;
namespace path = llvm::sys::path;

namespace convoy::driver {
namespace {

/// Returns the global symbols that an object file defines.
llvm::Expected<llvm::StringSet<>> definedSymbols(StringRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(object);
  if (!file) {
    return file.takeError();
  }
  llvm::StringSet<> names;
  for (const llvm::object::SymbolRef &symbol : file->getBinary()->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      return llvm::joinErrors(flags.takeError(), name.takeError());
    }
    bool isDefined = !(*flags & llvm::object::SymbolRef::SF_Undefined);
    if (isDefined && (*flags & llvm::object::SymbolRef::SF_Global)) {
      names.insert(*name);
    }
  }
  return names;
}

/// Returns the folder of the target's C library that its emulator uses (-L), or an empty text. A
/// compiler for several targets does not find the headers of another target.
std::string systemFolderOf(const targets::Target &target) {
  auto flag = llvm::find(target.emulator, "-L");
  bool hasFolder = flag != target.emulator.end() && std::next(flag) != target.emulator.end();
  return hasFolder ? *std::next(flag) : "";
}

} // namespace

CustomLibrary::CustomLibrary(Dialect *dialect, std::shared_ptr<const import::CustomOps> ops,
                             std::string compiler)
    : CustomFunctions(dialect), ops(std::move(ops)), compiler(std::move(compiler)) {}

CustomLibrary::~CustomLibrary() {
  if (handle) {
    dlclose(handle);
  }
}

void CustomLibrary::attach(MLIRContext &context, std::shared_ptr<const import::CustomOps> ops,
                           const std::string &compiler) {
  auto *dialect = context.getOrLoadDialect<graph::GraphDialect>();
  if (ops && !graph::CustomFunctions::of(&context)) {
    std::unique_ptr<DialectInterface> library =
        std::make_unique<CustomLibrary>(dialect, std::move(ops), compiler);
    dialect->addInterface(std::move(library));
  }
}

llvm::Error CustomLibrary::prepareFolder() const {
  if (!folder.path().empty()) {
    return llvm::Error::success();
  }
  if (llvm::Error error = folder.createInSystem()) {
    return error;
  }
  return writeFile(folder.file(codegen::kCustomHeaderPath), codegen::customHeaderText());
}

llvm::Expected<std::vector<std::string>>
CustomLibrary::command(const targets::Target &target) const {
  if (target.sourceCompiler.empty()) {
    return llvm::createStringError("cannot compile custom ops for target '" + target.name +
                                   "': its description names no C compiler; add sourceCompiler to "
                                   "it, or write C with --emit=c");
  }
  std::vector<std::string> command = target.sourceCompiler;
  if (command.front() == "cc") { // of this machine
    llvm::Expected<std::string> found = findHostCompiler(compiler);
    if (!found) {
      return found.takeError();
    }
    command.front() = std::move(*found);
  }
  return command;
}

llvm::Error CustomLibrary::checkFunctions(const std::string &source, StringRef object) const {
  llvm::Expected<llvm::StringSet<>> names = definedSymbols(object);
  if (!names) {
    return names.takeError();
  }
  for (const import::CustomOp &op : ops->ops) {
    if (op.source == source && !names->contains(op.function)) {
      return llvm::createStringError(
          "'" + source + "' does not define the function '" + op.function + "', which " + op.file +
          " declares for " + op.qualifiedName() +
          "; define it without static, with the parameters of convoy/custom_op.h");
    }
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> CustomLibrary::compile(const std::string &source,
                                                   const targets::Target &target,
                                                   bool isForProcess) const {
  if (llvm::Error error = prepareFolder()) {
    return error;
  }
  llvm::Expected<std::vector<std::string>> words = command(target);
  if (!words) {
    return words.takeError();
  }
  auto first = llvm::find_if(ops->ops, [&](const auto &op) { return op.source == source; });
  std::string object = folder.file("op_" + llvm::Twine(first - ops->ops.begin()) +
                                   (isForProcess ? ".process.o" : ".o"));
  // The object does not depend on paths.
  std::vector<std::string> flags = {"-fPIC", "-I", folder.path().str(),
                                    "-ffile-prefix-map=" + path::parent_path(source).str() + "=",
                                    isForProcess ? "-fvisibility=default" : "-fvisibility=hidden"};
  if (std::string system = systemFolderOf(target); !system.empty()) {
    flags.insert(flags.end(), {"-isystem", system + "/include"});
  }
  if (llvm::Error error =
          compileCustomSource({"", std::move(*words), {}}, source, object, std::move(flags))) {
    return std::move(error);
  }
  if (llvm::Error error = checkFunctions(source, object)) {
    return std::move(error);
  }
  return object;
}

std::vector<std::string> CustomLibrary::sourcesOf(ArrayRef<std::string> functions) const {
  std::vector<std::string> sources;
  for (const import::CustomOp &op : ops->ops) {
    if (llvm::is_contained(functions, op.function) && !llvm::is_contained(sources, op.source)) {
      sources.push_back(op.source);
    }
  }
  return sources;
}

llvm::Expected<std::string> CustomLibrary::mathLibraryFor(const targets::Target &target) const {
  std::string inSystem = systemFolderOf(target) + "/lib/libm.so.6";
  if (!systemFolderOf(target).empty() && llvm::sys::fs::exists(inSystem)) {
    return inSystem;
  }
  llvm::Expected<std::vector<std::string>> words = command(target);
  if (!words) {
    return words.takeError();
  }
  llvm::Expected<CommandResult> found =
      runTool({"", std::move(*words), {}}, {"-print-file-name=libm.so.6"}, folder.file("log"));
  if (!found) {
    return found.takeError();
  }
  return found->code == 0 ? found->text : "";
}

llvm::Expected<std::vector<std::string>>
CustomLibrary::objectsFor(const targets::Target &target, ArrayRef<std::string> functions) const {
  std::vector<std::string> objects;
  for (const std::string &source : sourcesOf(functions)) {
    llvm::Expected<std::string> object = compile(source, target, /*isForProcess=*/false);
    if (!object) {
      return object.takeError();
    }
    objects.push_back(std::move(*object));
  }
  // Functions of mathematics are in a library of their own. The link ignores an unused library.
  llvm::Expected<std::string> math = mathLibraryFor(target);
  if (!math) {
    return math.takeError();
  }
  if (path::is_absolute(*math)) {
    objects.push_back(std::move(*math));
  }
  return objects;
}

llvm::Error CustomLibrary::load() const {
  targets::Target host = targets::detectHost();
  llvm::Expected<std::vector<std::string>> words = command(host);
  if (!words) {
    return words.takeError();
  }
  std::vector<std::string> functions, arguments = {"-shared"};
  for (const import::CustomOp &op : ops->ops) {
    functions.push_back(op.function);
  }
  for (const std::string &source : sourcesOf(functions)) {
    llvm::Expected<std::string> object = compile(source, host, /*isForProcess=*/true);
    if (!object) {
      return object.takeError();
    }
    arguments.push_back(std::move(*object));
  }
  std::string library = folder.file("custom_ops.so");
  arguments.insert(arguments.end(), {"-lm", "-o", library});
  llvm::Expected<CommandResult> result =
      runTool({"", std::move(*words), {}}, arguments, folder.file("log"));
  if (!result) {
    return result.takeError();
  }
  handle = result->code == 0 ? dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!handle) {
    return llvm::createStringError("cannot load the functions of custom ops: " +
                                   (result->code == 0 ? std::string(dlerror()) : result->text));
  }
  return llvm::Error::success();
}

llvm::Expected<convoy_custom_function *> CustomLibrary::find(StringRef function) const {
  if (!handle) {
    if (llvm::Error error = load()) {
      return error;
    }
  }
  if (void *symbol = dlsym(handle, function.str().c_str())) {
    return reinterpret_cast<convoy_custom_function *>(symbol);
  }
  return llvm::createStringError("no declared custom op has the function '" + function + "'");
}

llvm::Expected<std::vector<std::string>> customObjectsFor(ModuleOp module,
                                                          const targets::Target &target) {
  std::vector<std::string> functions = codegen::customFunctionsOf(module);
  const auto *library =
      static_cast<const CustomLibrary *>(graph::CustomFunctions::of(module.getContext()));
  return functions.empty() || !library ? std::vector<std::string>()
                                       : library->objectsFor(target, functions);
}

std::vector<std::string> customSourcesOf(ModuleOp module) {
  const auto *library =
      static_cast<const CustomLibrary *>(graph::CustomFunctions::of(module.getContext()));
  return library ? library->sourcesOf(codegen::customFunctionsOf(module))
                 : std::vector<std::string>();
}

} // namespace convoy::driver
