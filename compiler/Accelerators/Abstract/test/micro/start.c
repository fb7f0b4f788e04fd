/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Starts a program on a bare Cortex-M under QEMU: vector table, data and bss, and
 * semihosting for text and the exit code.
 */

#include <stdint.h>

int main(void);
void write_text(const char *text);

extern uint32_t data_begin, data_end, data_source, bss_begin, bss_end, stack_top;

static uint32_t semihost(uint32_t call, const void *argument) {
  register uint32_t r0 __asm__("r0") = call;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void write_text(const char *text) { (void)semihost(0x04, text); }

static void end_program(uint32_t code) {
  const uint32_t block[2] = {0x20026, code}; /* ADP_Stopped_ApplicationExit */
  for (;;) {
    (void)semihost(0x20, block);
  }
}

static void on_fault(void) {
  write_text("fault\n");
  end_program(99);
}

static void on_reset(void) {
  const uint32_t *from = &data_source;
  uint32_t *to;
  /* Enables floating-point and vector instructions. */
  *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20;
  __asm__ volatile("dsb\n\tisb");
  for (to = &data_begin; to < &data_end; ++to) {
    *to = *from++;
  }
  for (to = &bss_begin; to < &bss_end; ++to) {
    *to = 0;
  }
  end_program((uint32_t)main());
}

typedef union vector {
  void *stack;
  void (*handler)(void);
} vector;

__attribute__((section(".vectors"), used)) static const vector vectors[] = {
    {.stack = &stack_top}, {.handler = on_reset}, {.handler = on_fault}, {.handler = on_fault},
    {.handler = on_fault}, {.handler = on_fault}, {.handler = on_fault}};
