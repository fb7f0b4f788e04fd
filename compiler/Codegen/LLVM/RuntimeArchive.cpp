// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Embeds libconvoy_runtime.a in the compiler, so that neither the driver nor a program that
// embeds the compiler needs to know where it is installed. For each other architecture that
// was built, it also embeds the program that runs a model there. The build writes the list:
// ARCHIVE(arch, file), RUNNER(arch, file).

#include "Codegen/LLVM/LibraryGlue.h"
#include "Support/TypedError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Triple.h"

using llvm::StringRef;

#define EMBED(symbol, file)                                                                        \
  __asm__(".section .rodata.convoy_runtime,\"a\",@progbits\n"                                      \
          ".balign 64\n"                                                                           \
          ".globl " symbol "Begin\n"                                                               \
          ".globl " symbol "End\n" symbol "Begin:\n"                                               \
          ".incbin \"" file "\"\n" symbol "End:\n"                                                 \
          ".previous\n");

#define ARCHIVE(arch, file) EMBED("kConvoyRuntime_" #arch, file)
#define RUNNER(arch, file) EMBED("kConvoyRunner_" #arch, file)
#include CONVOY_RUNTIME_ARCHIVES
#undef ARCHIVE
#undef RUNNER

#define DECLARE(symbol)                                                                            \
  extern "C" const char symbol##Begin[];                                                           \
  extern "C" const char symbol##End[];
#define ARCHIVE(arch, file) DECLARE(kConvoyRuntime_##arch)
#define RUNNER(arch, file) DECLARE(kConvoyRunner_##arch)
#include CONVOY_RUNTIME_ARCHIVES
#undef ARCHIVE
#undef RUNNER

namespace convoy::codegen {
namespace {

struct Embedded {
  StringRef arch;
  const char *begin;
  const char *end;
};

const Embedded kArchives[] = {
#define ARCHIVE(arch, file) {#arch, kConvoyRuntime_##arch##Begin, kConvoyRuntime_##arch##End},
#define RUNNER(arch, file)
#include CONVOY_RUNTIME_ARCHIVES
#undef ARCHIVE
#undef RUNNER
};

const Embedded kRunners[] = {
#define ARCHIVE(arch, file)
#define RUNNER(arch, file) {#arch, kConvoyRunner_##arch##Begin, kConvoyRunner_##arch##End},
#include CONVOY_RUNTIME_ARCHIVES
#undef ARCHIVE
#undef RUNNER
    {"", nullptr, nullptr}};

llvm::Expected<StringRef> find(llvm::ArrayRef<Embedded> list, const targets::Target &target,
                               StringRef what) {
  StringRef arch = llvm::Triple::getArchTypeName(llvm::Triple(target.triple).getArch());
  for (const Embedded &entry : list) {
    if (entry.arch == arch) {
      return StringRef(entry.begin, static_cast<size_t>(entry.end - entry.begin));
    }
  }
  return createUnsupported("not supported: target '" + target.name +
                           "': this build of convoy has no " + what + " for " + arch +
                           "; install the C library for it, which "
                           "scripts/install-deps.sh lists, and build convoy again");
}

} // namespace

llvm::Expected<StringRef> runtimeArchive(const targets::Target &target) {
  return find(kArchives, target, "runtime");
}

llvm::Expected<StringRef> foreignRunner(const targets::Target &target) {
  return find(kRunners, target, "program that runs models");
}

} // namespace convoy::codegen
