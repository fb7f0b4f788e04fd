/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The constants of a group of channels of a depthwise convolution. Kernels/DepthwiseBytes/
 * DepthwiseBytes.td describes their order. */
#ifndef CONVOY_BYTE_DEPTHWISE_GROUP_H
#define CONVOY_BYTE_DEPTHWISE_GROUP_H

#include "byte_keep.h"
#include "byte_rescale.h"

/* BEGIN */
/* The constants of 16 channels. The tables have the order of the sums below. */
typedef struct {
  const int32_t *corrections; /* to add to the biases; NULL if there are none */
  const int8_t *weights;      /* of tap 0; the weights of a tap are together */
  const int32_t *biases, *multipliers, *shifts;
  const int32_t *zeros; /* of the weights, if they have zero points */
  ptrdiff_t bytes;      /* from the weights of a group to those of the next one */
  ptrdiff_t table_step; /* from the multipliers and shifts of a group to those
                           of the next one */
  ptrdiff_t zero_step;  /* from the zero points of a group to those of the next one */
  int32_t input_zeros;  /* the zero point of the input times the number of taps */
} convoy_depthwise_group;

CONVOY_INLINE void convoy_depthwise_next(convoy_depthwise_group *group) {
  if (group->corrections != NULL) {
    group->corrections += group->bytes / 4;
  }
  group->weights += group->bytes;
  group->biases += 16;
  group->multipliers += group->table_step;
  group->shifts += group->table_step;
  if (group->zero_step > 0) {
    group->zeros += group->zero_step;
  }
}
/* END */

#endif
