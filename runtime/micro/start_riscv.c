/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Starts a program on a RISC-V core in machine mode: the stack, the pointers to global and
 * thread-local data, the unit for floats, and a handler for traps.
 */

#include "micro.h"

void convoy_start(void);
void convoy_report_trap(uint32_t address, uint32_t cause);

__attribute__((used)) void convoy_report_trap(uint32_t address, uint32_t cause) {
  convoy_micro_fault(address, cause);
}

__attribute__((naked, used, aligned(4))) static void on_trap(void) {
  __asm__ volatile(".option push\n\t"
                   ".option arch, +zicsr\n\t"
                   "csrr a0, mepc\n\t"
                   "csrr a1, mcause\n\t"
                   ".option pop\n\t"
                   "j convoy_report_trap");
}

__attribute__((naked, section(".convoy_start"))) void convoy_start(void) {
  __asm__ volatile(".option push\n\t"
                   ".option norelax\n\t"
                   ".option arch, +zicsr\n\t"
                   "la gp, __global_pointer$\n\t"
                   "la tp, convoy_thread_begin\n\t"
                   "la sp, convoy_stack_top\n\t"
                   "la t0, %0\n\t"
                   "csrw mtvec, t0\n\t"
#if defined(__riscv_flen)
                   /* The field FS of mstatus: floats are in use. */
                   "li t0, 0x2000\n\t"
                   "csrs mstatus, t0\n\t"
#endif
#if defined(__riscv_vector)
                   /* The field VS of mstatus: vectors are in use. */
                   "li t0, 0x200\n\t"
                   "csrs mstatus, t0\n\t"
#endif
                   ".option pop\n\t"
                   "tail convoy_micro_begin"
                   :
                   : "i"(on_trap));
}
