/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Starts a program on a Cortex-M: the vector table, the coprocessors for floats and vectors, and
 * a handler for faults.
 */

#include "micro.h"

void convoy_start(void);
extern uint32_t convoy_stack_top[];
void convoy_report_fault(const uint32_t *frame);

void convoy_start(void) {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  /* Coprocessors 10 and 11 of the register CPACR. */
  *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20;
  __asm__ volatile("dsb\n\tisb");
#endif
  convoy_micro_begin();
}

/* `frame` is the stack pointer of the handler: r0 to r3, r12, lr, pc, and the program status. */
__attribute__((used)) void convoy_report_fault(const uint32_t *frame) {
  enum { PC = 6 };
#if __ARM_ARCH >= 7
  /* The register CFSR has a bit per kind of fault. */
  convoy_micro_fault(frame[PC], *(volatile uint32_t *)0xE000ED28u);
#else
  convoy_micro_fault(frame[PC], 0);
#endif
}

__attribute__((naked)) static void on_fault(void) {
  __asm__ volatile("mov r0, sp\n\tldr r1, =convoy_report_fault\n\tbx r1\n\t.ltorg");
}

typedef union vector {
  uint32_t *stack;
  void (*handler)(void);
} vector;

/* The stack, the reset, and the handlers of the non-maskable interrupt and of faults. */
__attribute__((section(".convoy_start"), used)) static const vector vectors[] = {
    {.stack = convoy_stack_top}, {.handler = convoy_start}, {.handler = on_fault},
    {.handler = on_fault},       {.handler = on_fault},     {.handler = on_fault},
    {.handler = on_fault},       {.handler = on_fault}};
