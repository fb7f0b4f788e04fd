/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Marks the code of a run and of its layers. A mark adds no instruction: it is a label in the
 * code, and an entry (address, number) in the section .convoy_marks, which is not a part of the
 * program's memory. count_instructions.c counts the instructions between the marks.
 *
 * Emitted C is compiled with this file as a forced include.
 */

#ifndef CONVOY_MARKS_H
#define CONVOY_MARKS_H

/* Numbers of marks: outside the run, in the run but in no layer, in layer number N. */
#define CONVOY_MARK_OUTSIDE 0
#define CONVOY_MARK_RUN 1
#define CONVOY_MARK_LAYER 2

#define CONVOY_MARK(number)                                                                        \
  __asm__ volatile("9:\n\t.pushsection .convoy_marks, \"\", %%progbits\n\t"                        \
                   ".4byte 9b, %c0\n\t.popsection"                                                 \
                   :                                                                               \
                   : "i"(number)                                                                   \
                   : "memory");

#define CONVOY_RUN_BEGIN CONVOY_MARK(CONVOY_MARK_RUN)
#define CONVOY_RUN_END CONVOY_MARK(CONVOY_MARK_OUTSIDE)
#define CONVOY_LAYER_BEGIN(layer) CONVOY_MARK(CONVOY_MARK_LAYER + (layer))
#define CONVOY_LAYER_END(layer) CONVOY_MARK(CONVOY_MARK_RUN)

#endif /* CONVOY_MARKS_H */
