/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The portable layer list, which describes a model independent of the device. All words are
 * 32-bit little-endian: a header, the layers, names, constants.
 */

#ifndef CONVOY_ABSTRACT_LAYERS_H
#define CONVOY_ABSTRACT_LAYERS_H

#include "convoy/abstract.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CONVOY_ABSTRACT_MAGIC 0x4C415643u /* "CVAL" */
#define CONVOY_ABSTRACT_VERSION 1u
#define CONVOY_ABSTRACT_CONSTANTS 0
#define CONVOY_ABSTRACT_WORKSPACE 1

typedef struct convoy_abstract_header {
  uint32_t magic;
  uint32_t version;
  uint32_t layer_count;
  uint32_t segment_count; /* constants, workspace, inputs and outputs */
  uint32_t names_offset;  /* in bytes from the start of the list; each name ends with a zero byte */
  uint32_t names_bytes;
  uint32_t constants_offset;
  uint32_t constants_bytes;
  uint32_t workspace_bytes;
} convoy_abstract_header;

/* A layer; the order of the words is the format. Fields have the meaning of the registers with
 * the same names. */
typedef struct convoy_abstract_layer {
  int32_t op;         /* the instruction: conv, maxpool, avgpool, add, mul or lookup */
  int32_t name;       /* offset of the layer's name in the names */
  int32_t in_segment; /* segment of the input */
  int32_t in_offset; /* offset of the input in the segment: contiguous planes of rows of elements */
  int32_t in2_segment; /* segment of the second input */
  int32_t in2_offset;  /* offset of the second input in the segment */
  int32_t out_segment; /* segment of the output */
  int32_t out_offset;  /* offset of the output in the segment */
  int32_t in_c;        /* channels of the input */
  int32_t in_h;        /* rows of the input */
  int32_t in_w;        /* columns of the input */
  int32_t out_c;       /* channels of the output */
  int32_t out_h;       /* rows of the output */
  int32_t out_w;       /* columns of the output */
  int32_t groups;      /* groups of a convolution; 1 for other layers */
  int32_t in_type;     /* element types, as in registers */
  int32_t in2_type;
  int32_t out_type;
  int32_t weight_type;
  int32_t in_zero; /* zero points */
  int32_t in2_zero;
  int32_t out_zero;
  int32_t weight_zeros; /* 1 if a zero point of the weights in the table is not 0 */
  int32_t out_min;      /* bounds of the output */
  int32_t out_max;
  int32_t kernel_h; /* the window */
  int32_t kernel_w;
  int32_t stride_h;
  int32_t stride_w;
  int32_t dilation_h;
  int32_t dilation_w;
  int32_t pad_top;
  int32_t pad_left;
  int32_t weight_offset; /* in the constants */
  int32_t table_offset;  /* in the constants: bias, multiplier, shift and zero point of the weights
                            per channel */
  int32_t scale;
  int32_t scale2;
  int32_t shift;
  int32_t rounding;
  int32_t chains; /* 1 if the next layer's first input is this output and no other layer reads it */
} convoy_abstract_layer;

#define CONVOY_ABSTRACT_LAYER_WORDS (sizeof(convoy_abstract_layer) / sizeof(int32_t))

int convoy_abstract_read_header(const void *list, size_t bytes, convoy_abstract_header *header);

/* Reads layer `index`, which must exist. */
void convoy_abstract_read_layer(const void *list, uint32_t index, convoy_abstract_layer *layer);

/* Returns the name of a layer; it points into the list. */
const char *convoy_abstract_layer_name(const void *list, const convoy_abstract_header *header,
                                       const convoy_abstract_layer *layer);

/* Checks whether a device supports a layer, apart from the size of its local memory. */
int convoy_abstract_check_layer(const convoy_abstract_device *device,
                                const convoy_abstract_layer *layer);

/* Returns the bytes of local memory that the smallest tile of a layer needs. */
uint64_t convoy_abstract_layer_bytes(const convoy_abstract_layer *layer, uint32_t tiling);

/* Returns a lower bound of a layer's cycles: the larger of computing it in one piece and moving
 * its bytes. */
uint64_t convoy_abstract_layer_cycles(const convoy_abstract_device *device,
                                      const convoy_abstract_layer *layer);

/* The rows or columns of the input that outputs [first, first + count) read. */
typedef struct convoy_abstract_window {
  int32_t first; /* index in the input */
  int32_t count;
  int32_t pad; /* taps before `first` that are padding */
} convoy_abstract_window;

convoy_abstract_window convoy_abstract_find_window(int32_t first, int32_t count, int32_t kernel,
                                                   int32_t stride, int32_t dilation, int32_t pad,
                                                   int32_t extent);

#ifdef __cplusplus
}
#endif

#endif
