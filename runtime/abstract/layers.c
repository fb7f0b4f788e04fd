/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the portable layer list and checks layers against a device's limits.
 */

#include "layers.h"
#include "isa.h"

#include <string.h>

static uint32_t word_at(const void *list, size_t word) {
  const uint8_t *at = (const uint8_t *)list + word * 4;
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static int holds(uint32_t offset, uint32_t count, size_t bytes) {
  return offset <= bytes && count <= bytes - offset;
}

int convoy_abstract_read_header(const void *list, size_t bytes, convoy_abstract_header *header) {
  const size_t header_words = sizeof(*header) / sizeof(uint32_t);
  uint32_t words[sizeof(*header) / sizeof(uint32_t)];
  size_t i;
  uint64_t layers_end;
  if (list == NULL || bytes < sizeof(*header)) {
    return CONVOY_ABSTRACT_BAD_LIST;
  }
  for (i = 0; i < header_words; ++i) {
    words[i] = word_at(list, i);
  }
  memcpy(header, words, sizeof(*header));
  layers_end = sizeof(*header) + (uint64_t)header->layer_count * sizeof(convoy_abstract_layer);
  return header->magic == CONVOY_ABSTRACT_MAGIC && header->version == CONVOY_ABSTRACT_VERSION &&
                 layers_end <= bytes && header->names_bytes > 0 &&
                 holds(header->names_offset, header->names_bytes, bytes) &&
                 holds(header->constants_offset, header->constants_bytes, bytes) &&
                 ((const char *)list)[header->names_offset + header->names_bytes - 1] == '\0'
             ? CONVOY_ABSTRACT_OK
             : CONVOY_ABSTRACT_BAD_LIST;
}

void convoy_abstract_read_layer(const void *list, uint32_t index, convoy_abstract_layer *layer) {
  const size_t first =
      sizeof(convoy_abstract_header) / sizeof(uint32_t) + index * CONVOY_ABSTRACT_LAYER_WORDS;
  uint32_t words[CONVOY_ABSTRACT_LAYER_WORDS];
  size_t i;
  for (i = 0; i < CONVOY_ABSTRACT_LAYER_WORDS; ++i) {
    words[i] = word_at(list, first + i);
  }
  memcpy(layer, words, sizeof(*layer));
}

const char *convoy_abstract_layer_name(const void *list, const convoy_abstract_header *header,
                                       const convoy_abstract_layer *layer) {
  const char *names = (const char *)list + header->names_offset;
  return layer->name >= 0 && (uint32_t)layer->name < header->names_bytes ? names + layer->name : "";
}

static int fits(uint32_t reg, int32_t value) {
  const convoy_abstract_range range = convoy_abstract_register_range(reg);
  return value >= range.least && value <= range.most;
}

static int check_ranges(const convoy_abstract_layer *layer) {
#define FITS(name) fits(CONVOY_ABSTRACT_R_##name, layer->name)
  return FITS(in_c) && FITS(in_h) && FITS(in_w) && FITS(out_c) && FITS(out_h) && FITS(out_w) &&
         FITS(in_type) && FITS(in2_type) && FITS(out_type) && FITS(weight_type) && FITS(in_zero) &&
         FITS(in2_zero) && FITS(out_zero) && FITS(out_min) && FITS(out_max) &&
         layer->out_min <= layer->out_max && FITS(kernel_h) && FITS(kernel_w) && FITS(stride_h) &&
         FITS(stride_w) && FITS(dilation_h) && FITS(dilation_w) && FITS(pad_top) &&
         FITS(pad_left) && FITS(shift) && FITS(rounding) && layer->groups >= 1 &&
         layer->in_segment >= 0 && layer->in_offset >= 0 && layer->out_segment >= 0 &&
         layer->out_offset >= 0 && layer->in2_segment >= 0 && layer->in2_offset >= 0 &&
         layer->weight_offset >= 0 && layer->table_offset >= 0;
#undef FITS
}

/* Checks that no window starts behind the last row or column. */
static int check_windows(const convoy_abstract_layer *layer) {
  return (layer->out_h - 1) * layer->stride_h - layer->pad_top < layer->in_h &&
         (layer->out_w - 1) * layer->stride_w - layer->pad_left < layer->in_w;
}

/* Checks that offsets fit in 31 bits. */
static int check_bytes(int32_t channels, int32_t rows, int32_t columns, int32_t offset) {
  const int64_t elements = (int64_t)channels * rows * columns;
  return elements <= (1 << 29) && elements * 2 <= INT32_MAX - offset;
}

static int check_shape(const convoy_abstract_layer *layer) {
  const int64_t taps = (int64_t)layer->kernel_h * layer->kernel_w *
                       (layer->op == CONVOY_ABSTRACT_OP_conv ? layer->in_c / layer->groups : 1);
  const int64_t most = layer->in_type == CONVOY_ABSTRACT_S16 ? CONVOY_ABSTRACT_MOST_WIDE_TAPS
                                                             : CONVOY_ABSTRACT_MOST_TAPS;
  const int64_t weights = layer->op == CONVOY_ABSTRACT_OP_conv ? taps * layer->out_c : 256;
  if (taps > most || weights > INT32_MAX - layer->weight_offset ||
      !check_bytes(layer->in_c, layer->in_h, layer->in_w, layer->in_offset) ||
      !check_bytes(layer->in_c, layer->in_h, layer->in_w, layer->in2_offset) ||
      !check_bytes(layer->out_c, layer->out_h, layer->out_w, layer->out_offset)) {
    return 0;
  }
  switch (layer->op) {
  case CONVOY_ABSTRACT_OP_conv:
    return layer->in_c % layer->groups == 0 && layer->out_c % layer->groups == 0;
  case CONVOY_ABSTRACT_OP_maxpool:
  case CONVOY_ABSTRACT_OP_avgpool:
    return layer->in_c == layer->out_c && layer->groups == 1;
  case CONVOY_ABSTRACT_OP_add:
  case CONVOY_ABSTRACT_OP_mul:
  case CONVOY_ABSTRACT_OP_lookup:
    return layer->in_c == layer->out_c && layer->in_h == layer->out_h &&
           layer->in_w == layer->out_w && layer->kernel_h == 1 && layer->kernel_w == 1 &&
           layer->stride_h == 1 && layer->stride_w == 1 && layer->groups == 1 &&
           layer->pad_top == 0 && layer->pad_left == 0;
  default:
    return 0;
  }
}

int convoy_abstract_check_layer(const convoy_abstract_device *device,
                                const convoy_abstract_layer *layer) {
  const int is_wide = layer->in_type == CONVOY_ABSTRACT_S16 ||
                      layer->in2_type == CONVOY_ABSTRACT_S16 ||
                      layer->out_type == CONVOY_ABSTRACT_S16;
  if (!check_ranges(layer) || !check_windows(layer) || !check_shape(layer)) {
    return CONVOY_ABSTRACT_LIMIT;
  }
  if ((is_wide && (!device->wide_data || layer->op == CONVOY_ABSTRACT_OP_lookup)) ||
      (layer->weight_zeros != 0 && !device->weight_zero_points) ||
      (!device->activation_zero_points &&
       (layer->in_zero != 0 || layer->in2_zero != 0 || layer->out_zero != 0))) {
    return CONVOY_ABSTRACT_LIMIT;
  }
  return CONVOY_ABSTRACT_OK;
}

convoy_abstract_window convoy_abstract_find_window(int32_t first, int32_t count, int32_t kernel,
                                                   int32_t stride, int32_t dilation, int32_t pad,
                                                   int32_t extent) {
  convoy_abstract_window window;
  const int32_t begin = first * stride - pad;
  int32_t end = (first + count - 1) * stride + (kernel - 1) * dilation - pad + 1;
  window.first = begin > 0 ? begin : 0;
  window.pad = window.first - begin;
  end = end < extent ? end : extent;
  /* A window that lies entirely in the padding still names one element, which no tap reads. */
  window.count = end > window.first ? end - window.first : 1;
  return window;
}
