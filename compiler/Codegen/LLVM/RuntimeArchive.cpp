// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries libconvoy_runtime.a inside the compiler, so that neither the driver nor
// a program that embeds the compiler must know where it is installed.

__asm__(".section .rodata.convoy_runtime,\"a\",@progbits\n"
        ".globl kConvoyRuntimeBegin\n"
        ".globl kConvoyRuntimeEnd\n"
        ".balign 64\n"
        "kConvoyRuntimeBegin:\n"
        ".incbin \"" CONVOY_RUNTIME_ARCHIVE "\"\n"
        "kConvoyRuntimeEnd:\n"
        ".previous\n");
