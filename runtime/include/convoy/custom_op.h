/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The interface of custom ops: functions in C that a user declares in a JSON file and passes with
 * --custom-ops. Convoy compiles the function with the model, so both use the same version of this
 * file. C source that Convoy emits comes with a copy of it, so it is C99.
 */

#ifndef CONVOY_CUSTOM_OP_H
#define CONVOY_CUSTOM_OP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An input or an output. The elements are in row-major order without gaps. A bool has one byte. */
typedef struct convoy_custom_tensor {
  void *data;
  const int64_t *shape; /* rank entries */
  int32_t rank;
  int32_t element_type; /* ONNX TensorProto.DataType: 1 is float32, 7 is int64 */
} convoy_custom_tensor;

/* The value of an attribute. Only the members of the declared type are set. */
typedef struct convoy_custom_attribute {
  int64_t i;           /* int */
  const char *s;       /* string, UTF-8, ends with a zero */
  const int64_t *ints; /* ints; null if count is 0 */
  const float *floats; /* floats; null if count is 0 */
  int64_t count;       /* entries of ints or floats */
  float f;             /* float */
} convoy_custom_attribute;

/* A custom op. The tensors and attributes are in the order of the declaration, and the outputs have
 * the declared types and shapes. The function writes every element of every output and no input. It
 * allocates no memory that it does not free, and several threads may call it at once. Equal inputs
 * give equal outputs. It returns 0; any other value ends the run with CONVOY_ERROR_CUSTOM_OP. */
typedef int32_t convoy_custom_function(const convoy_custom_tensor *inputs,
                                       const convoy_custom_tensor *outputs,
                                       const convoy_custom_attribute *attributes);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CUSTOM_OP_H */
