// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries libconvoy_runtime.a inside the compiler, so that neither the driver nor
// a program that embeds the compiler must know where it is installed.

__asm__(".section .rodata.convoy_runtime,\"a\",@progbits\n"
        ".globl convoy_runtime_archive_begin\n"
        ".globl convoy_runtime_archive_end\n"
        ".balign 64\n"
        "convoy_runtime_archive_begin:\n"
        ".incbin \"" CONVOY_RUNTIME_ARCHIVE "\"\n"
        "convoy_runtime_archive_end:\n"
        ".previous\n");
