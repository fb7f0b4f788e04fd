// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the glue as LLVM IR text and compiles it. Its own names contain a dot, which the name
// of a model cannot contain. The model's object file defines <model>_status, so that the same
// object also runs in this process without glue.

#include "Codegen/LLVM/LibraryGlue.h"
#include "Codegen/LLVM/TableGlue.h"
#include "Support/TypedError.h"
#include "convoy/convoy.h"
#include "runtime/core/library.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include <cstddef>

using llvm::StringRef;

namespace convoy::codegen {
namespace {

static_assert(offsetof(convoy_library, text) == 7 * sizeof(void *) &&
                  sizeof(convoy_library) == 7 * sizeof(void *) + CONVOY_LIBRARY_TEXT_BYTES,
              "the IR below repeats the layout of runtime/core/library.h");

/// Returns the record of runtime/core/library.h. Its strings are those of the table.
std::string recordText(const ModelInterface &interface) {
  const std::string &model = interface.model;
  bool isFile = interface.weightsInFile;
  std::string ir =
      "@glue.abi_version = private constant i32 " + std::to_string(CONVOY_ABI_VERSION) + "\n";
  ir += "@" + model + "_status = external hidden global i32\n";
  if (isFile) {
    ir += "@" + model + "_weights = external hidden global ptr\n";
  }
  std::string textType = "[" + std::to_string(CONVOY_LIBRARY_TEXT_BYTES) + " x i8]";
  ir += "@glue.library = internal global { ptr, ptr, ptr, i64, ptr, ptr, ptr, " + textType +
        " } { ptr @glue.table.name, ptr @glue.table.target, ptr @glue.table.features, i64 " +
        std::to_string(interface.weightsBytes) + ", ptr @glue.table.weights_hash, ptr @" + model +
        "_status, ptr " + (isFile ? "@" + model + "_weights" : std::string("null")) + ", " +
        textType + " zeroinitializer }\n";
  return ir;
}

constexpr StringRef kFunctions = R"(
declare void @convoy_library_start(ptr)
declare ptr @convoy_library_error_text(ptr, i32)
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
    [{ i32, ptr, ptr } { i32 65535, ptr @glue.start, ptr null }]
define internal void @glue.start() nounwind {
  call void @convoy_library_start(ptr @glue.library)
  ret void
}
define ptr @<model>_error_text(i32 %code) nounwind {
  %text = call ptr @convoy_library_error_text(ptr @glue.library, i32 %code)
  ret ptr %text
}
define i32 @<model>_abi_version() nounwind {
  %version = load i32, ptr @glue.abi_version
  ret i32 %version
}
define ptr @<model>_hash() nounwind {
  ret ptr @glue.table.hash
}
)";

constexpr StringRef kFileFunctions = R"(
declare i32 @convoy_library_open(ptr, ptr)
declare void @convoy_library_close(ptr)
define i32 @<model>_open(ptr %path) nounwind {
  %code = call i32 @convoy_library_open(ptr @glue.library, ptr %path)
  ret i32 %code
}
define void @<model>_close() nounwind {
  call void @convoy_library_close(ptr @glue.library)
  ret void
}
)";

std::string functionsText(StringRef model, bool weightsInFile) {
  std::string ir = kFunctions.str();
  if (weightsInFile) {
    ir += kFileFunctions;
  }
  constexpr StringRef kPlaceholder = "<model>";
  for (size_t at = ir.find(kPlaceholder); at != std::string::npos; at = ir.find(kPlaceholder)) {
    ir.replace(at, kPlaceholder.size(), model);
  }
  return ir;
}

/// Returns options for the same architecture without optional CPU features.
CodegenOptions baseline(const CodegenOptions &options) {
  CodegenOptions result = options;
  result.target.cpu = "";
  result.target.features.clear();
  return result;
}

llvm::Error bug(const llvm::Twine &what) {
  return createBug("code generation of the library's glue failed: " + what +
                   "; this is a bug in convoy");
}

} // namespace

llvm::Expected<ObjectBytes> emitGlue(const ModelInterface &interface,
                                     const CodegenOptions &options) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = createMachine(baseline(options));
  if (!machine) {
    return machine.takeError();
  }
  std::string ir = tableText(interface) + recordText(interface) +
                   functionsText(interface.model, interface.weightsInFile);
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(ir, problem, context);
  if (!module) {
    return bug("line " + llvm::Twine(problem.getLineNo()) + ": " + problem.getMessage());
  }
  module->setModuleIdentifier(interface.model + "_glue");
  module->setSourceFileName(interface.model + "_glue");
  module->setDataLayout((*machine)->createDataLayout());
  module->setTargetTriple(options.target.triple);
  module->setPICLevel(llvm::PICLevel::BigPIC);
  ObjectBytes bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return bug("LLVM writes no object files for " + options.target.triple);
  }
  passes.run(*module);
  return bytes;
}

} // namespace convoy::codegen
