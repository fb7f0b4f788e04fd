/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ScatterPillars: writes the features of each pillar of a point cloud to its cell of an image.
 */

#include <convoy/custom_op.h>
#include <string.h>

int32_t scatter_pillars(const convoy_custom_tensor *inputs, const convoy_custom_tensor *outputs,
                        const convoy_custom_attribute *attributes) {
  const float *features = inputs[0].data;
  const int32_t *cells = inputs[1].data;
  const int64_t pillars = inputs[0].shape[0], channels = inputs[0].shape[1];
  const int64_t rows = attributes[0].i, columns = attributes[1].i;
  float *image = outputs[0].data;
  memset(image, 0, (size_t)(channels * rows * columns) * sizeof(float));
  for (int64_t pillar = 0; pillar < pillars; ++pillar) {
    const int64_t row = cells[2 * pillar], column = cells[2 * pillar + 1];
    if (row < 0 || row >= rows || column < 0 || column >= columns) {
      return 1; /* ends the run */
    }
    for (int64_t channel = 0; channel < channels; ++channel) {
      image[(channel * rows + row) * columns + column] = features[pillar * channels + channel];
    }
  }
  return 0;
}
