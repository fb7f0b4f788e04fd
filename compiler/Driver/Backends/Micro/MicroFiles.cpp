// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Embeds the files, so that neither the driver nor a program that embeds the compiler needs to
// know where they are installed.

#include "Driver/Backends/Micro/MicroFiles.h"

__asm__(".section .rodata.convoy_micro,\"a\",@progbits\n"
        ".balign 64\n"
        ".globl kConvoyCountingPluginBegin\n"
        ".globl kConvoyCountingPluginEnd\n"
        "kConvoyCountingPluginBegin:\n"
        ".incbin \"" CONVOY_COUNTING_PLUGIN "\"\n"
        "kConvoyCountingPluginEnd:\n"
        ".previous\n");

extern "C" const char kConvoyCountingPluginBegin[];
extern "C" const char kConvoyCountingPluginEnd[];

namespace convoy::driver {

static constexpr MicroFile kFiles[] = {
#include CONVOY_MICRO_FILES
};

llvm::ArrayRef<MicroFile> microFiles() { return kFiles; }

llvm::StringRef countingPlugin() {
  return {kConvoyCountingPluginBegin,
          static_cast<size_t>(kConvoyCountingPluginEnd - kConvoyCountingPluginBegin)};
}

} // namespace convoy::driver
