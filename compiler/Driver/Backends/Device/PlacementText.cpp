// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words the counts of the place stage. The reason and the remedy come from the plan.

#include "Driver/Backends/Device/PlacementText.h"
#include "Accelerators/Registry.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::driver {
namespace {

std::string opsText(int64_t count) { return count == 1 ? "1 op" : std::to_string(count) + " ops"; }

std::string durationText(double ns) {
  return ns < 1e6 ? llvm::formatv("{0:f1} us", ns / 1e3).str()
                  : llvm::formatv("{0:f2} ms", ns / 1e6).str();
}

/// A quantized model is float only because the request keeps it so.
std::string remedyFor(const PlacementSummary &placement, const CompileRequest &request) {
  if (placement.needsIntegers && !request.numerics.isInteger) {
    return "remove --integer=off";
  }
  return placement.remedy.empty()
             ? "`convoy explain --target " + placement.device + "` shows the reason for each op"
             : placement.remedy;
}

} // namespace

std::string deviceFlag(const PlacementRequest &request) {
  return request.requiresDevice                   ? "--require-device"
         : request.policy == PlacePolicy::Fastest ? "--place=fastest"
                                                  : "";
}

std::string unusedDeviceText(const PlacementSummary &placement, const CompileRequest &request) {
  std::string text = "0 of " + std::to_string(placement.ops) + " ops run on " + placement.device;
  if (placement.ops == 0) {
    return text + ": constant folding left nothing to compute";
  }
  return text + ": " + placement.reason + "; " + remedyFor(placement, request);
}

std::optional<Problem> unusedDevice(const PlacementSummary &placement,
                                    const CompileRequest &request) {
  if (placement.device.empty() || placement.placedOps > 0) {
    return std::nullopt;
  }
  std::string text = unusedDeviceText(placement, request);
  const char *flag = request.placement.requiresDevice       ? "--require-device"
                     : request.output.emit == Emit::Program ? "--emit=program"
                                                            : nullptr;
  if (!flag) {
    return Problem{ProblemKind::Warning, std::move(text), {}};
  }
  return Problem{ProblemKind::Unsupported,
                 llvm::formatv("not supported: {0} expects at least one op on {1}, found that {2}",
                               flag, placement.device, text)
                     .str(),
                 {}};
}

double clockOf(const PlacementSummary &placement) {
  llvm::Expected<std::unique_ptr<accelerators::Accelerator>> device =
      accelerators::findAccelerator(placement.device);
  if (!device) {
    llvm::consumeError(device.takeError()); // the compile has found the device before
    return 0;
  }
  return *device ? (*device)->cyclesPerNs() : 0;
}

std::string speedVerdict(const PlacementSummary &placement) {
  std::string kept = placement.slowerOps == 0
                         ? ""
                         : "; --place=fastest keeps " + opsText(placement.slowerOps) +
                               " on the CPU that " + placement.device + " supports";
  if (placement.placedOps == 0) {
    return "";
  }
  bool isAll = placement.policy == PlacePolicy::All;
  std::string ops = placement.placedOps == 1 ? "this op" : "these " + opsText(placement.placedOps);
  if (placement.deviceNs == 0) {
    return placement.device + " has no time estimate for " + ops +
           (isAll ? "" : ", so --place=fastest places all of them");
  }
  bool isSlower = placement.deviceNs >= placement.cpuNs;
  std::string clock;
  llvm::raw_string_ostream(clock) << llvm::format(" at %g GHz", clockOf(placement));
  return llvm::formatv("{0} is estimated to take {1} for {2}{3}, one CPU core {4}: {5}{6}{7}",
                       placement.device, durationText(placement.deviceNs), ops, clock,
                       durationText(placement.cpuNs), isSlower ? "slower" : "faster",
                       isSlower && isAll ? "; --place=fastest keeps slower regions on the CPU" : "",
                       kept)
      .str();
}

} // namespace convoy::driver
