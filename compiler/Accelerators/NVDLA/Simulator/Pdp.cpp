// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PDP: maximum, minimum or average of windows. An average includes padding, which comes from a
// table of multiples, and rounds twice: for the width and for the height. Splitting a cube by width
// changes only the order of reads, so the simulator does not model it.

#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "Support/TypedError.h"
#include <limits>

namespace convoy::nvdla {
namespace {

/// The part of a window that lies inside the cube, and the number of its padded rows and columns.
struct Window {
  int64_t top, bottom, left, right; // half open
  uint32_t paddedRows, paddedColumns;
};

Window makeWindow(const PdpJob &job, uint32_t outY, uint32_t outX) {
  int64_t top = int64_t(outY) * job.strideY - job.padTop;
  int64_t left = int64_t(outX) * job.strideX - job.padLeft;
  Window window;
  window.top = std::max<int64_t>(top, 0);
  window.bottom = std::min<int64_t>(top + job.kernelHeight, job.input.height);
  window.left = std::max<int64_t>(left, 0);
  window.right = std::min<int64_t>(left + job.kernelWidth, job.input.width);
  window.bottom = std::max(window.bottom, window.top);
  window.right = std::max(window.right, window.left);
  window.paddedRows = job.kernelHeight - uint32_t(window.bottom - window.top);
  window.paddedColumns = job.kernelWidth - uint32_t(window.right - window.left);
  return window;
}

/// Returns the sum of `count` padded elements in a row. The table has the multiples 1 to 7, so 8 is
/// the sum of 7 and 1.
int64_t paddingSum(const PdpJob &job, uint32_t count) {
  if (count == 0) {
    return 0;
  }
  return count <= 7 ? job.padValues[count - 1]
                    : int64_t(job.padValues[6]) + job.padValues[count - 8];
}

int32_t reduceInts(const PdpJob &job, const Stream &in, const Window &window, size_t channel) {
  bool isMax = job.method == PdpJob::Method::Max;
  bool isAverage = job.method == PdpJob::Method::Average;
  unsigned bits = bitsPerElement(job.precision);
  int64_t best = isMax ? -(int64_t(1) << (bits - 1)) : (int64_t(1) << (bits - 1)) - 1;
  int64_t sum = window.paddedRows * paddingSum(job, job.kernelWidth);
  for (int64_t y = window.top; y < window.bottom; ++y) {
    sum += paddingSum(job, window.paddedColumns);
    for (int64_t x = window.left; x < window.right; ++x) {
      int64_t value = in.ints[(y * in.size.width + x) * in.paddedChannels + channel];
      sum += value;
      best = isMax ? std::max(best, value) : std::min(best, value);
    }
  }
  if (!isAverage) {
    return int32_t(best);
  }
  Wide byWidth = roundShift(Wide(sum) * job.recipWidth, 16);
  return int32_t(saturate(roundShift(byWidth * job.recipHeight, 16), bits));
}

float reduceFloats(const PdpJob &job, const Stream &in, const Window &window, size_t channel) {
  bool isMax = job.method == PdpJob::Method::Max;
  float best = isMax ? -65504.0F : 65504.0F;
  float sum = 0;
  for (int64_t y = window.top; y < window.bottom; ++y) {
    for (int64_t x = window.left; x < window.right; ++x) {
      float value = in.floats[(y * in.size.width + x) * in.paddedChannels + channel];
      sum += value;
      best = isMax ? std::max(best, value) : std::min(best, value);
    }
  }
  if (job.method != PdpJob::Method::Average) {
    return best;
  }
  return sum / float(job.kernelWidth) / float(job.kernelHeight);
}

llvm::Error checkPdp(const PdpJob &job, const Stream *fromSdp) {
  if (job.kernelWidth < 1 || job.kernelWidth > 8 || job.kernelHeight < 1 || job.kernelHeight > 8 ||
      job.strideX < 1 || job.strideX > 16 || job.strideY < 1 || job.strideY > 16 ||
      job.padLeft > 7 || job.padTop > 7) {
    return llvm::createStringError(
        "pooling has kernel %u x %u, stride %u x %u and padding %u and %u; expects "
        "kernels 1 to 8, strides 1 to 16, padding 0 to 7",
        job.kernelWidth, job.kernelHeight, job.strideX, job.strideY, job.padLeft, job.padTop);
  }
  bool isFloat = job.precision == Precision::Fp16;
  if (isFloat && job.method == PdpJob::Method::Average &&
      job.padValues != decltype(job.padValues){}) {
    return createUnsupported("not supported by the simulator: averages of fp16 with padding "
                             "other than zero");
  }
  if (!job.isFromSdp) {
    return llvm::Error::success();
  }
  if (!fromSdp || fromSdp->paddedChannels == 0) {
    return llvm::createStringError("PDP takes its input from SDP, which does not provide it");
  }
  const CubeSize &sdp = fromSdp->size;
  if (sdp.width != job.input.width || sdp.height != job.input.height ||
      sdp.channels != job.input.channels || fromSdp->isFloat != isFloat) {
    return llvm::createStringError("SDP provides %u x %u x %u elements, PDP expects %u x %u x %u",
                                   sdp.width, sdp.height, sdp.channels, job.input.width,
                                   job.input.height, job.input.channels);
  }
  return llvm::Error::success();
}

void pool(const PdpJob &job, const Stream &in, Stream &out) {
  for (uint32_t y = 0; y < job.outHeight; ++y) {
    for (uint32_t x = 0; x < job.outWidth; ++x) {
      Window window = makeWindow(job, y, x);
      size_t at = (size_t(y) * job.outWidth + x) * out.paddedChannels;
      for (uint32_t c = 0; c < out.paddedChannels; ++c) {
        if (out.isFloat) {
          out.floats[at + c] = reduceFloats(job, in, window, c);
        } else {
          out.ints[at + c] = reduceInts(job, in, window, c);
        }
      }
    }
  }
}

} // namespace

llvm::Error runPdp(const PdpJob &job, const Machine &machine, const Stream *fromSdp) {
  if (llvm::Error error = checkPdp(job, fromSdp)) {
    return error;
  }
  Stream read;
  if (!job.isFromSdp) {
    llvm::Expected<Stream> cube = readCube(job.source, job.input, job.precision, machine);
    if (!cube) {
      return cube.takeError();
    }
    read = std::move(*cube);
  }
  llvm::Expected<Stream> out = makeStream({job.outWidth, job.outHeight, job.input.channels},
                                          job.precision == Precision::Fp16, machine.config);
  if (!out) {
    return out.takeError();
  }
  pool(job, job.isFromSdp ? *fromSdp : read, *out);
  writeCube(*out, job.target, job.precision, machine);
  return machine.memory.takeFault();
}

} // namespace convoy::nvdla
