// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SDP: applies X1, X2, Y and the output converter to every lane of the cube, including lanes past
// its channels.

#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "Accelerators/NVDLA/Simulator/Lut.h"
#include "Accelerators/NVDLA/Simulator/SdpArithmetic.h"
#include "Accelerators/NVDLA/Simulator/SdpOperands.h"
#include "Support/TypedError.h"

namespace convoy::nvdla {
namespace {

struct Operands {
  StageOperands x1, x2, y;
};

llvm::Expected<Operands> fetchOperands(const SdpJob &job, const Machine &machine) {
  llvm::Expected<StageOperands> x1 = StageOperands::fetch(job.x1, job, machine);
  if (!x1) {
    return x1.takeError();
  }
  llvm::Expected<StageOperands> x2 = StageOperands::fetch(job.x2, job, machine);
  if (!x2) {
    return x2.takeError();
  }
  llvm::Expected<StageOperands> y = StageOperands::fetch(job.y, job, machine);
  if (!y) {
    return y.takeError();
  }
  return Operands{std::move(*x1), std::move(*x2), std::move(*y)};
}

/// Returns whether the output converter applies. A comparison for equality gives 0 or 1, which is
/// not converted.
bool hasConverter(const SdpJob &job) {
  return job.y.isBypassed || job.y.isAluBypassed || job.y.alu != AluOp::Equal;
}

void processInts(const SdpJob &job, const Operands &operands, const std::vector<int32_t> &in,
                 uint32_t padded, Stream &out, LutCounters *counters) {
  bool isConverted = hasConverter(job), toFloat = job.outPrecision == Precision::Fp16;
  for (size_t i = 0; i < in.size(); ++i) {
    size_t c = i % padded;
    int32_t value = applyX(job.x1, in[i], operands.x1.alu(i, c), operands.x1.mul(i, c));
    value = applyX(job.x2, value, operands.x2.alu(i, c), operands.x2.mul(i, c));
    value = applyY(job.y, value, operands.y.alu(i, c), operands.y.mul(i, c));
    if (!job.y.isBypassed && !job.y.isLutBypassed) {
      value = lookUpSdp(job.lut, value, counters);
    }
    if (isConverted) {
      bool isSaturated = false;
      value = convertOutput(job.outConverter, value, job.outPrecision, &isSaturated);
      if (counters) {
        counters->saturated += isSaturated;
      }
    }
    if (toFloat) {
      out.floats[i] = float(value);
    } else {
      out.ints[i] = value;
    }
  }
}

void processFloats(const SdpJob &job, const Operands &operands, const std::vector<float> &in,
                   uint32_t padded, Stream &out) {
  for (size_t i = 0; i < in.size(); ++i) {
    size_t c = i % padded;
    float value = applyX(job.x1, in[i], operands.x1.aluFloat(i, c), operands.x1.mulFloat(i, c));
    value = applyX(job.x2, value, operands.x2.aluFloat(i, c), operands.x2.mulFloat(i, c));
    value = applyY(job.y, value, operands.y.aluFloat(i, c), operands.y.mulFloat(i, c));
    if (!job.y.isBypassed && !job.y.isLutBypassed) {
      value = lookUpFloat(job.lut, value);
    }
    out.floats[i] = halfToFloat(floatToHalf(value));
  }
}

llvm::Error checkSdp(const SdpJob &job, const Stream *fromConv) {
  if (job.batch != 1) {
    return createUnsupported("not supported by the simulator: batches in SDP");
  }
  bool isFloat = job.precision == Precision::Fp16;
  if (isFloat != (job.outPrecision == Precision::Fp16) && isFloat) {
    return createUnsupported("not supported by the simulator: SDP from fp16 to integers");
  }
  if (!job.isFromConv) {
    return (job.inPrecision == Precision::Fp16) == isFloat
               ? llvm::Error::success()
               : createUnsupported("not supported by the simulator: SDP that mixes float "
                                   "and integer types for input and computation");
  }
  if (!fromConv) {
    return llvm::createStringError(
        "SDP takes its input from a convolution, but no convolution runs");
  }
  const CubeSize &conv = fromConv->size;
  if (conv.width != job.size.width || conv.height != job.size.height ||
      conv.channels != job.size.channels || fromConv->isFloat != isFloat) {
    return llvm::createStringError(
        "a convolution provides %u x %u x %u elements, SDP expects %u x %u x %u", conv.width,
        conv.height, conv.channels, job.size.width, job.size.height, job.size.channels);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Stream> runSdp(const SdpJob &job, const Machine &machine, const Stream *fromConv,
                              LutCounters *counters) {
  if (llvm::Error error = checkSdp(job, fromConv)) {
    return error;
  }
  Stream read;
  if (!job.isFromConv) {
    Surface source = job.source;
    if (job.size.width == 1 && job.size.height == 1) {
      // A cube of one pixel is read as one contiguous run of atoms, independent of the stride.
      source.surfaceStride = machine.config.atomBytes;
    }
    llvm::Expected<Stream> cube = readCube(source, job.size, job.inPrecision, machine);
    if (!cube) {
      return cube.takeError();
    }
    read = std::move(*cube);
  }
  const Stream &in = job.isFromConv ? *fromConv : read;
  llvm::Expected<Operands> operands = fetchOperands(job, machine);
  if (!operands) {
    return operands.takeError();
  }
  llvm::Expected<Stream> out =
      makeStream(job.size, job.outPrecision == Precision::Fp16, machine.config);
  if (!out) {
    return out.takeError();
  }
  if (job.precision == Precision::Fp16) {
    processFloats(job, *operands, in.floats, in.paddedChannels, *out);
  } else {
    processInts(job, *operands, in.ints, in.paddedChannels, *out, counters);
  }
  if (job.isToPdp) {
    return out;
  }
  writeCube(*out, job.target, job.outPrecision, machine);
  return Stream();
}

llvm::Error runFused(const FusedJob &job, const Machine &machine) {
  Stream conv, sdp;
  if (job.conv) {
    llvm::Expected<Stream> out = runConv(*job.conv, machine);
    if (!out) {
      return out.takeError();
    }
    conv = std::move(*out);
  }
  if (job.sdp) {
    llvm::Expected<Stream> out = runSdp(*job.sdp, machine, job.conv ? &conv : nullptr);
    if (!out) {
      return out.takeError();
    }
    sdp = std::move(*out);
  }
  if (job.pdp) {
    if (llvm::Error error = runPdp(*job.pdp, machine, job.sdp ? &sdp : nullptr)) {
      return error;
    }
  }
  return machine.memory.takeFault();
}

} // namespace convoy::nvdla
