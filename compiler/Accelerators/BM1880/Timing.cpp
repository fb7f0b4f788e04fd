// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of each kind of instruction, and the schedule.

#include "Accelerators/BM1880/Timing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace convoy::bm1880 {
namespace {

/// A byte range of every lane that an instruction reads or writes.
struct LocalUse {
  int64_t begin;
  int64_t end;
  bool isWrite;
};

int64_t outSize(int64_t size, int64_t before, int64_t after, int64_t window, int64_t stride) {
  return stride <= 0 ? 0 : (size + before + after - window) / stride + 1;
}

int64_t div(int64_t a, int64_t b) { return (a + b - 1) / std::max<int64_t>(b, 1); }

/// Access to fields by name, for formulas.
struct Fields {
  const Instruction &i;
  int64_t operator[](llvm::StringRef name) const { return i.get(name); }
  int64_t elements() const { return i.get("input_n") * channelPixels(); }
  int64_t channelPixels() const { return i.get("input_c") * i.get("input_h") * i.get("input_w"); }
  /// N * ceil(C / lanes) * ceil(HW / units): steps of all units over a tensor.
  int64_t steps() const {
    return i.get("input_n") * div(i.get("input_c"), kLanes) *
           div(i.get("input_h") * i.get("input_w"), kUnits);
  }
};

Work convWork(Fields f, int64_t outHeight, int64_t outWidth, int64_t groups, bool hasBias) {
  int64_t taps = f["kh"] * f["kw"] * (f["input_c"] / std::max<int64_t>(groups, 1));
  int64_t pixels = outHeight * outWidth;
  int64_t cycles = f["input_n"] * div(f["output_c"], kLanes) * div(pixels, kUnits) *
                   (taps + (hasBias ? 2 : 0) + 3);
  return {cycles, 0, f["input_n"] * f["output_c"] * pixels * taps};
}

int64_t poolCycles(int64_t n, int64_t channels, int64_t pixels, Fields f) {
  int64_t together = div(kUnits, f["stride_w"]);
  return div(pixels, together) * (n * div(channels, kLanes) * f["kh"] * f["kw"] + 6);
}

int64_t eltwiseCycles(Fields f) {
  return f.steps() * (f["op"] == 0 ? 5 : 6) * std::max<int64_t>(f["input_size"] - 1, 1);
}

Work globalWork(const Instruction &i) {
  Fields f{i};
  llvm::StringRef name = i.name();
  if (name == "conv_p") {
    auto side = [&](llvm::StringRef size, llvm::StringRef pad, llvm::StringRef kernel,
                    llvm::StringRef dilation, llvm::StringRef stride) {
      return outSize(f[size], f[pad], f[pad], (f[kernel] - 1) * f[dilation] + 1, f[stride]);
    };
    int64_t height = side("input_h", "pad_h", "kh", "dilation_h", "stride_h");
    int64_t width = side("input_w", "pad_w", "kw", "dilation_w", "stride_w");
    Work work = convWork(f, height, width, f["groups"], f["do_bias"] != 0);
    int64_t weights =
        f["output_c"] * f["kh"] * f["kw"] * f["input_c"] / std::max<int64_t>(f["groups"], 1);
    work.bytesMoved = f.elements() + weights + 2 * f["output_c"] * f["do_bias"] +
                      f["input_n"] * f["output_c"] * height * width;
    return work;
  }
  if (name == "fc") {
    int64_t m = f["input_row_num"];
    int64_t k = f["input_col_num"];
    int64_t n = f["weight_col_num"];
    int64_t cycles = div(m, kLanes) * div(n, kUnits) * (k * (m - 1) + n + 6);
    return {cycles, m * k + k * n + 2 * n * f["have_bias"] + m * n, m * k * n};
  }
  if (name == "pooling") {
    int64_t pixels = outSize(f["h"], f["pad_top"], f["pad_bot"], f["kh"], f["stride_h"]) *
                     outSize(f["w"], f["pad_left"], f["pad_right"], f["kw"], f["stride_w"]);
    return {poolCycles(f["n"], f["c"], pixels, f), f["n"] * f["c"] * (f["h"] * f["w"] + pixels), 0};
  }
  if (name == "eltwise") {
    return {eltwiseCycles(f), f.elements() * (f["input_size"] + 1), 0};
  }
  if (name == "lrn") {
    // Two look-ups, the sums of a window and a product, with the cycles of element-wise kernels.
    int64_t cycles = f.steps() * (2 + 6 * (f["size"] - 1) + 2 + 5);
    return {cycles, 2 * f.elements() + 2 * 256 * kLanes, 0};
  }
  if (name == "scale" || name == "relu") {
    return {f.steps() * (name == "scale" ? 5 : 2), 2 * f.elements(), 0};
  }
  if (name == "concat") {
    int64_t elements = 1;
    for (int64_t dim : i.list("output_dim")) {
      elements *= dim;
    }
    return {0, 2 * elements, 0};
  }
  return {0, name == "permute" ? 2 * f.elements() : 0, 0};
}

int64_t transferBytes(Fields f) {
  return f["Local_N"] * f["Local_C"] * f["Local_H"] * f["Local_W"];
}

/// Returns the local memory ranges of an instruction; empty for global kernels.
llvm::SmallVector<LocalUse> usesOf(const Instruction &i) {
  Fields f{i};
  llvm::SmallVector<LocalUse> uses;
  auto add = [&](int64_t address, int64_t bytes, bool isWrite) {
    uses.push_back({address, address + bytes, isWrite});
  };
  auto tensor = [&](int64_t n, int64_t c, int64_t h, int64_t w) {
    return laneBytes(n, c, h * w, /*isAligned=*/true);
  };
  llvm::StringRef name = i.name();
  bool isLoad = name == "tl_layer_load_stride";
  if (isLoad || name == "tl_layer_store_stride") {
    add(f[isLoad ? "la_dst" : "la_src"],
        laneBytes(f["Local_N"], f["Local_C"], f["Local_H"] * f["Local_W"], f["DoAligned"] != 0),
        isLoad);
    return uses;
  }
  if (name == "bm_tl_conv") {
    add(f["la_ifmap"], tensor(f["input_n"], f["input_c"], f["input_h"], f["input_w"]), false);
    add(f["la_ofmap"], tensor(f["input_n"], f["output_c"], f["output_h"], f["output_w"]), true);
    add(f["la_weight"],
        laneBytes(1, f["output_c"], f["kh"] * f["kw"] * f["input_c"], /*isAligned=*/false), false);
    if (f["do_bias"]) {
      add(f["la_bias"], laneBytes(2, f["output_c"], 1, /*isAligned=*/false), false);
    }
  } else if (name == "tl_pool") {
    add(f["ifmap_laddr"], tensor(f["input_n"], f["input_c"], f["input_h"], f["input_w"]), false);
    add(f["ofmap_laddr"], tensor(f["output_n"], f["output_c"], f["output_h"], f["output_w"]), true);
  } else if (name == "tl_eltwise") {
    int64_t bytes = tensor(f["input_n"], f["input_c"], f["input_h"], f["input_w"]);
    for (int64_t address : i.list("la_input")) {
      add(address, bytes, false);
    }
    add(f["la_output"], bytes, true);
  }
  return uses;
}

bool isTransfer(const Instruction &i) { return i.name().starts_with("tl_layer_"); }
bool isLocal(const Instruction &i) { return i.name().contains("tl_"); }

} // namespace

int64_t laneBytes(int64_t n, int64_t channels, int64_t plane, bool isAligned) {
  int64_t bytes = isAligned ? div(plane, kUnits) * kUnits : plane;
  return n * div(channels, kLanes) * bytes;
}

Work workOf(const Instruction &i) {
  Fields f{i};
  if (!isLocal(i)) {
    return globalWork(i);
  }
  if (isTransfer(i)) {
    return {0, transferBytes(f), 0};
  }
  if (i.name() == "bm_tl_conv") {
    return convWork(f, f["output_h"], f["output_w"], 1, f["do_bias"] != 0);
  }
  if (i.name() == "tl_pool") {
    return {poolCycles(f["output_n"], f["output_c"], f["output_h"] * f["output_w"], f), 0, 0};
  }
  return {i.name() == "tl_eltwise" ? eltwiseCycles(f) : 0, 0, 0};
}

std::vector<Interval> schedule(llvm::ArrayRef<Instruction> instructions) {
  struct Seen {
    LocalUse use;
    bool isTransfer;
    int64_t end;
  };
  std::vector<Interval> intervals;
  llvm::SmallVector<Seen> seen;
  int64_t engineFree[2] = {0, 0}; // transfers, computation
  for (const Instruction &i : instructions) {
    Work work = workOf(i);
    int64_t transfer = div(work.bytesMoved, kBusBytes);
    if (!isLocal(i)) {
      int64_t start = std::max(engineFree[0], engineFree[1]);
      intervals.push_back({start, start + std::max(work.computeCycles, transfer)});
      engineFree[0] = engineFree[1] = intervals.back().end;
      seen.clear();
      continue;
    }
    bool moves = isTransfer(i);
    int64_t &isFree = engineFree[moves ? 0 : 1];
    int64_t start = isFree;
    llvm::SmallVector<LocalUse> uses = usesOf(i);
    for (const LocalUse &use : uses) {
      for (const Seen &other : seen) {
        bool meets = other.isTransfer != moves && use.begin < other.use.end &&
                     other.use.begin < use.end && (use.isWrite || other.use.isWrite);
        start = meets ? std::max(start, other.end) : start;
      }
    }
    isFree = start + (moves ? transfer : work.computeCycles);
    intervals.push_back({start, isFree});
    for (const LocalUse &use : uses) {
      seen.push_back({use, moves, isFree});
    }
  }
  return intervals;
}

} // namespace convoy::bm1880
