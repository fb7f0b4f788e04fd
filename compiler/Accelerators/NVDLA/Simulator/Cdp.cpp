// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CDP: computes the sum of squares over neighboring channels, looks up a function of it in the
// tables and multiplies the element with the result. Channels outside of the cube and lanes past
// its last channel count as zero after the converter. These lanes are still computed and written.

#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "Accelerators/NVDLA/Simulator/Lut.h"

namespace convoy::nvdla {
namespace {

int64_t convertIn(const CdpJob &job, int32_t value) {
  unsigned bits = bitsPerElement(job.precision);
  int64_t offset = signExtend(uint32_t(job.inConverter.offset), bits);
  return saturate(convertValue(value, offset, job.inConverter.scale, int(job.inConverter.shift)),
                  bits + 1);
}

int32_t convertOut(const CdpJob &job, int64_t value, LutCounters *counters) {
  bool isInt8 = job.precision == Precision::Int8;
  int64_t offset =
      isInt8 ? signExtend(uint32_t(job.outConverter.offset), 25) : int64_t(job.outConverter.offset);
  Wide wide = convertValue(value, offset, job.outConverter.scale, int(job.outConverter.shift));
  int64_t narrow = saturate(wide, bitsPerElement(job.precision));
  if (counters) {
    counters->saturated += Wide(narrow) != wide;
  }
  return int32_t(narrow);
}

/// Normalizes one pixel, from its converted channels to its results.
void normalizeInts(const CdpJob &job, const std::vector<int64_t> &in, int32_t *out,
                   LutCounters *counters) {
  int64_t half = job.window / 2, count = int64_t(in.size());
  for (int64_t c = 0; c < count; ++c) {
    int64_t sum = in[c];
    if (!job.isSquareSumBypassed) {
      sum = 0;
      for (int64_t i = std::max<int64_t>(0, c - half); i <= std::min(count - 1, c + half); ++i) {
        sum += in[i] * in[i];
      }
    }
    int64_t factor = lookUpCdp(job.lut, sum, counters);
    out[c] = convertOut(job, job.isMulBypassed ? factor : factor * in[c], counters);
  }
}

/// Normalizes one pixel of fp16 in fp32; the converters are not used.
void normalizeFloats(const CdpJob &job, const std::vector<float> &in, float *out) {
  int64_t half = job.window / 2, count = int64_t(in.size());
  for (int64_t c = 0; c < count; ++c) {
    float sum = in[c];
    if (!job.isSquareSumBypassed) {
      sum = 0;
      for (int64_t i = std::max<int64_t>(0, c - half); i <= std::min(count - 1, c + half); ++i) {
        sum += in[i] * in[i];
      }
    }
    float factor = lookUpFloat(job.lut, sum);
    out[c] = job.isMulBypassed ? factor : factor * in[c];
  }
}

} // namespace

llvm::Error runCdp(const CdpJob &job, const Machine &machine, LutCounters *counters) {
  if (job.window < 3 || job.window > 9 || job.window % 2 == 0) {
    return llvm::createStringError("expects a normalization over 3, 5, 7 or 9 channels, got %u",
                                   job.window);
  }
  llvm::Expected<Stream> cube = readCube(job.source, job.size, job.precision, machine);
  if (!cube) {
    return cube.takeError();
  }
  uint32_t padded = cube->paddedChannels;
  size_t pixels = size_t(job.size.width) * job.size.height;
  std::vector<int64_t> ints(padded);
  std::vector<float> floats(padded);
  for (size_t pixel = 0; pixel < pixels; ++pixel) {
    size_t at = pixel * padded;
    for (uint32_t c = 0; c < padded; ++c) {
      if (cube->isFloat) {
        floats[c] = c < job.size.channels ? cube->floats[at + c] : 0;
      } else {
        ints[c] = c < job.size.channels ? convertIn(job, cube->ints[at + c]) : 0;
      }
    }
    if (cube->isFloat) {
      normalizeFloats(job, floats, &cube->floats[at]);
    } else {
      normalizeInts(job, ints, &cube->ints[at], counters);
    }
  }
  writeCube(*cube, job.target, job.precision, machine);
  return machine.memory.takeFault();
}

} // namespace convoy::nvdla
