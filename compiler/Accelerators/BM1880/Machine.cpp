// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes instructions. Each copies its tensors out of global or local memory, computes, and
// writes the result back, so both kinds of memory share the arithmetic.

#include "Accelerators/BM1880/Machine.h"
#include "Accelerators/BM1880/Timing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>

using llvm::ArrayRef;
using llvm::MutableArrayRef;

namespace convoy::bm1880 {
namespace {

constexpr int64_t kMostElements = int64_t(1) << 30;

/// Shifts with round half up.
int64_t shifted(int64_t value, int64_t shift) {
  return shift > 0 ? (value + (int64_t(1) << (shift - 1))) >> shift : value;
}

/// Shifts, then saturates or clamps at zero.
int8_t finish(int64_t value, int64_t shift, bool hasRelu) {
  return static_cast<int8_t>(std::clamp<int64_t>(shifted(value, shift), hasRelu ? 0 : -128, 127));
}

int64_t outSize(int64_t size, int64_t pads, int64_t window, int64_t stride) {
  return stride <= 0 || size + pads < window ? 0 : (size + pads - window) / stride + 1;
}

} // namespace

Machine::Machine(MutableArrayRef<uint8_t> weights, MutableArrayRef<uint8_t> neurons)
    : weights(weights), neurons(neurons), lanes(kLanes * kLaneBytes) {}

void Machine::fail(const llvm::Twine &reason) {
  if (problem.empty()) {
    problem = reason.str();
  }
}

int64_t Machine::count(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 0 || size > kMostElements || product * size > kMostElements) {
      fail("a size is negative or too large");
      return 0;
    }
    product *= size;
  }
  return product;
}

Machine::Bytes Machine::read(ArrayRef<uint8_t> memory, int64_t address, int64_t bytes) {
  auto size = static_cast<int64_t>(memory.size());
  if (address < 0 || bytes < 0 || address > size || bytes > size - address) {
    fail("it reads outside of the memory");
    return Bytes(static_cast<size_t>(std::clamp<int64_t>(bytes, 0, kMostElements)));
  }
  const auto *from = reinterpret_cast<const int8_t *>(memory.data()) + address;
  return Bytes(from, from + bytes);
}

void Machine::write(MutableArrayRef<uint8_t> memory, int64_t address, const Bytes &bytes) {
  auto size = static_cast<int64_t>(memory.size());
  auto length = static_cast<int64_t>(bytes.size());
  if (!problem.empty() || address < 0 || address > size || length > size - address) {
    return fail("it writes outside of the memory");
  }
  std::copy(bytes.begin(), bytes.end(), memory.begin() + address);
}

Machine::Bytes Machine::readLocal(int64_t address, ArrayRef<int64_t> shape, bool isAligned) {
  int64_t plane = count(shape.drop_front(2));
  Bytes result(static_cast<size_t>(count(shape)));
  int64_t used = laneBytes(shape[0], shape[1], plane, isAligned);
  if (address < 0 || used > kLaneBytes || address > kLaneBytes - used || !problem.empty()) {
    fail("it reads outside of a lane");
    return result;
  }
  int64_t slot = laneBytes(1, 1, plane, isAligned);
  int64_t slots = laneBytes(1, shape[1], 1, /*isAligned=*/false);
  for (int64_t i = 0; i < shape[0] * shape[1]; ++i) {
    int64_t c = i % shape[1];
    int64_t from = c % kLanes * kLaneBytes + address + (i / shape[1] * slots + c / kLanes) * slot;
    std::copy_n(lanes.begin() + from, plane, result.begin() + i * plane);
  }
  return result;
}

void Machine::writeLocal(int64_t address, ArrayRef<int64_t> shape, bool isAligned,
                         const Bytes &bytes) {
  int64_t plane = count(shape.drop_front(2));
  int64_t used = laneBytes(shape[0], shape[1], plane, isAligned);
  bool isWhole = static_cast<int64_t>(bytes.size()) == count(shape);
  if (address < 0 || used > kLaneBytes || address > kLaneBytes - used || !isWhole ||
      !problem.empty()) {
    return fail("it writes outside of a lane");
  }
  int64_t slot = laneBytes(1, 1, plane, isAligned);
  int64_t slots = laneBytes(1, shape[1], 1, /*isAligned=*/false);
  for (int64_t i = 0; i < shape[0] * shape[1]; ++i) {
    int64_t c = i % shape[1];
    int64_t to = c % kLanes * kLaneBytes + address + (i / shape[1] * slots + c / kLanes) * slot;
    std::copy_n(bytes.begin() + i * plane, plane, lanes.begin() + to);
  }
}

/// Weights are ordered by output, tap, input. Biases are two planes of bytes, or empty.
Machine::Bytes Machine::convolve(const WindowShape &w, int64_t groups, int64_t outputs,
                                 const Bytes &input, const Bytes &weight, const Bytes &bias,
                                 int64_t shift, bool hasRelu) {
  int64_t pixels = count({w.outHeight, w.outWidth});
  Bytes result(static_cast<size_t>(count({w.n, outputs, pixels})));
  int64_t taps = count({w.kernelHeight, w.kernelWidth});
  if (groups <= 0 || w.channels % groups != 0 || outputs % groups != 0 || shift < 0 || shift > 31 ||
      w.strideHeight <= 0 || w.strideWidth <= 0) {
    fail("groups, shift or strides are out of range");
  }
  if (!problem.empty()) {
    return result;
  }
  int64_t inputs = w.channels / groups;
  int64_t plane = w.height * w.width;
  std::vector<int32_t> sums(static_cast<size_t>(pixels));
  for (int64_t image = 0; image < w.n * outputs; ++image) {
    int64_t o = image % outputs;
    int64_t firstInput = image / outputs * w.channels + o / (outputs / groups) * inputs;
    int32_t start = 0;
    if (!bias.empty()) {
      auto low = static_cast<uint8_t>(bias[static_cast<size_t>(o)]);
      start = low + 256 * bias[static_cast<size_t>(outputs + o)];
    }
    std::fill(sums.begin(), sums.end(), start);
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t dy = tap / w.kernelWidth * w.dilationHeight - w.padTop;
      int64_t dx = tap % w.kernelWidth * w.dilationWidth - w.padLeft;
      for (int64_t c = 0; c < inputs; ++c) {
        int32_t factor = weight[static_cast<size_t>((o * taps + tap) * inputs + c)];
        const int8_t *from = input.data() + (firstInput + c) * plane;
        for (int64_t y = 0; factor != 0 && y < w.outHeight; ++y) {
          int64_t row = y * w.strideHeight + dy;
          if (row < 0 || row >= w.height) {
            continue;
          }
          int32_t *to = sums.data() + y * w.outWidth;
          // The columns whose input lies inside the image.
          int64_t first = dx >= 0 ? 0 : (-dx + w.strideWidth - 1) / w.strideWidth;
          int64_t end = std::min(w.outWidth, (w.width - 1 - dx) / w.strideWidth + 1);
          end = w.width - 1 < dx ? 0 : end;
          for (int64_t x = first; x < end; ++x) {
            to[x] += factor * from[row * w.width + x * w.strideWidth + dx];
          }
        }
      }
    }
    for (int64_t p = 0; p < pixels; ++p) {
      result[static_cast<size_t>(image * pixels + p)] =
          finish(sums[static_cast<size_t>(p)], shift, hasRelu);
    }
  }
  return result;
}

Machine::Bytes Machine::pool(const WindowShape &w, bool isMean, const Bytes &input,
                             int64_t multiplier, int64_t shift, bool hasRelu) {
  int64_t pixels = count({w.outHeight, w.outWidth});
  Bytes result(static_cast<size_t>(count({w.n, w.channels, pixels})));
  int64_t taps = count({w.kernelHeight, w.kernelWidth});
  if (multiplier < 0 || multiplier > 255 || shift < 0 || shift > 31) {
    fail("the multiplier or the shift is out of range");
  }
  for (int64_t i = 0; i < static_cast<int64_t>(result.size()) && problem.empty(); ++i) {
    int64_t x = i % w.outWidth;
    int64_t y = i / w.outWidth % w.outHeight;
    const int8_t *plane = input.data() + i / pixels * w.height * w.width;
    int64_t value = isMean ? 0 : -128;
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t row = y * w.strideHeight + tap / w.kernelWidth - w.padTop;
      int64_t column = x * w.strideWidth + tap % w.kernelWidth - w.padLeft;
      if (row >= 0 && row < w.height && column >= 0 && column < w.width) {
        int64_t element = plane[row * w.width + column];
        value = isMean ? value + element : std::max(value, element);
      }
    }
    result[static_cast<size_t>(i)] = finish(value * multiplier, shift, hasRelu);
  }
  return result;
}

Machine::Bytes Machine::combine(const std::vector<Bytes> &inputs, int64_t op,
                                ArrayRef<int64_t> multipliers, int64_t shift, bool hasRelu,
                                int64_t elements) {
  Bytes result(static_cast<size_t>(elements));
  bool isRight = inputs.size() == multipliers.size() && !inputs.empty() && (op == 0 || op == 1) &&
                 shift >= 0 && shift <= 31 &&
                 llvm::all_of(multipliers, [](int64_t m) { return m >= 0 && m <= 255; });
  if (!isRight) {
    fail("operands, multipliers or the shift are out of range");
  }
  for (size_t i = 0; i < result.size() && problem.empty(); ++i) {
    int64_t value = op == 0 ? 1 : 0;
    for (size_t k = 0; k < inputs.size(); ++k) {
      int64_t term = inputs[k][i] * multipliers[k];
      value = op == 0 ? value * term : value + term;
    }
    result[i] = finish(value, shift, hasRelu);
  }
  return result;
}

void Machine::conv(const Instruction &i) {
  WindowShape w{i.get("input_n"),
                i.get("input_c"),
                i.get("input_h"),
                i.get("input_w"),
                0,
                0,
                i.get("kh"),
                i.get("kw"),
                i.get("stride_h"),
                i.get("stride_w"),
                i.get("pad_h"),
                i.get("pad_w"),
                i.get("dilation_h"),
                i.get("dilation_w")};
  w.outHeight =
      outSize(w.height, 2 * w.padTop, (w.kernelHeight - 1) * w.dilationHeight + 1, w.strideHeight);
  w.outWidth =
      outSize(w.width, 2 * w.padLeft, (w.kernelWidth - 1) * w.dilationWidth + 1, w.strideWidth);
  int64_t groups = std::max<int64_t>(i.get("groups"), 1);
  int64_t outputs = i.get("output_c");
  for (const char *field : {"result_add", "do_bn", "do_scale", "activation_method"}) {
    if (i.get(field) != 0) {
      fail(llvm::Twine(field) + " is not supported by the simulator");
    }
  }
  Bytes input = read(neurons, i.get("ga_ifmap"), count({w.n, w.channels, w.height, w.width}));
  Bytes weight = read(weights, i.get("ga_weight"),
                      count({outputs, w.kernelHeight, w.kernelWidth, w.channels}) / groups);
  Bytes bias = i.get("do_bias") ? read(weights, i.get("ga_bias"), count({2, outputs})) : Bytes();
  write(neurons, i.get("ga_ofmap"),
        convolve(w, groups, outputs, input, weight, bias, i.get("right_shift_width"),
                 i.get("do_activation") != 0));
}

void Machine::fc(const Instruction &i) {
  int64_t rows = i.get("input_row_num");
  int64_t inputs = i.get("input_col_num");
  int64_t outputs = i.get("weight_col_num");
  if (!i.get("weight_transpose") || i.get("left_shift_width") || i.get("activation_method")) {
    fail("the simulator supports only transposed weights, relu and right shifts");
  }
  // A matrix product is a 1x1 convolution.
  WindowShape w{rows, inputs, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
  Bytes input = read(neurons, i.get("bottom_data_gaddr"), count({rows, inputs}));
  Bytes weight = read(weights, i.get("weight_data_gaddr"), count({inputs, outputs}));
  Bytes bias =
      i.get("have_bias") ? read(weights, i.get("bias_data_gaddr"), count({2, outputs})) : Bytes();
  write(neurons, i.get("top_data_gaddr"),
        convolve(w, 1, outputs, input, weight, bias, i.get("right_shift_width"),
                 i.get("do_activation") != 0));
}

void Machine::pooling(const Instruction &i) {
  WindowShape w{i.get("n"),
                i.get("c"),
                i.get("h"),
                i.get("w"),
                0,
                0,
                i.get("kh"),
                i.get("kw"),
                i.get("stride_h"),
                i.get("stride_w"),
                i.get("pad_top"),
                i.get("pad_left")};
  w.outHeight = outSize(w.height, w.padTop + i.get("pad_bot"), w.kernelHeight, w.strideHeight);
  w.outWidth = outSize(w.width, w.padLeft + i.get("pad_right"), w.kernelWidth, w.strideWidth);
  if (i.get("ceil_mode") || i.list("threshold_x_quantized").size() != 1) {
    fail("the simulator supports only one multiplier and no ceil_mode");
  }
  Bytes input = read(neurons, i.get("ifmap_gaddr"), count({w.n, w.channels, w.height, w.width}));
  write(neurons, i.get("ofmap_gaddr"),
        pool(w, i.get("is_avg_pooling") != 0, input, i.get("threshold_x_quantized"),
             i.get("right_shift_width"), i.get("do_relu") != 0));
}

static std::array<int64_t, 4> inputShape(const Instruction &i) {
  return {i.get("input_n"), i.get("input_c"), i.get("input_h"), i.get("input_w")};
}

void Machine::eltwise(const Instruction &i) {
  int64_t elements = count(inputShape(i));
  std::vector<Bytes> inputs;
  for (int64_t address : i.list("ga_input")) {
    inputs.push_back(read(neurons, address, elements));
  }
  write(neurons, i.get("ga_output"),
        combine(inputs, i.get("op"), i.list("threshold_x_quantized"), i.get("right_shift_width"),
                i.get("do_relu") != 0, elements));
}

void Machine::relu(const Instruction &i) {
  int64_t elements = count(inputShape(i));
  Bytes input = read(neurons, i.get("bottom_gaddr"), elements);
  if (i.get("negative_slope") != 0) {
    fail("negative_slope is not supported by the simulator");
  }
  write(neurons, i.get("top_gaddr"), combine({input}, 1, {1}, 0, /*hasRelu=*/true, elements));
}

void Machine::lrn(const Instruction &i) {
  std::array<int64_t, 4> shape = inputShape(i);
  constexpr int64_t kEntries = 256;
  Bytes input = read(neurons, i.get("bottom_gaddr"), count(shape));
  Bytes squares = read(weights, i.get("sqr_lut_gaddr"), kEntries);
  Bytes factors = read(weights, i.get("power_lut_gaddr"), kEntries);
  const std::vector<int64_t> &multipliers = i.list("threshold_x_quantized");
  int64_t size = i.get("size");
  int64_t sumShift = i.get("sum_right_shift_width");
  int64_t shift = i.get("lrn_right_shift_width");
  if (multipliers.size() != 2 || size < 1 || std::min(sumShift, shift) < 0 ||
      std::max(sumShift, shift) > 31) {
    fail("the size, the shifts or the number of multipliers are out of range");
  }
  Bytes result(problem.empty() ? input.size() : 0);
  int64_t plane = shape[2] * shape[3];
  for (size_t at = 0; at < result.size(); ++at) {
    auto element = static_cast<int64_t>(at);
    int64_t channel = element / plane % shape[1];
    int64_t sum = 0;
    for (int64_t c = std::max<int64_t>(channel - (size - 1) / 2, 0);
         c <= std::min(channel + size / 2, shape[1] - 1); ++c) {
      auto x = static_cast<int64_t>(input[static_cast<size_t>(element + (c - channel) * plane)]);
      sum += static_cast<uint8_t>(squares[static_cast<size_t>(std::abs(x))]);
    }
    int64_t index = std::clamp<int64_t>(shifted(sum * multipliers[0], sumShift), 0, kEntries - 1);
    int64_t factor = static_cast<uint8_t>(factors[static_cast<size_t>(index)]);
    result[at] = finish(input[at] * factor * multipliers[1], shift, /*hasRelu=*/false);
  }
  write(neurons, i.get("top_gaddr"), result);
}

void Machine::concat(const Instruction &i) {
  const std::vector<int64_t> &dims = i.list("input_dims");
  const std::vector<int64_t> &shape = i.list("output_dim");
  int64_t axis = i.get("concat_axis");
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()) ||
      i.list("input_gaddrs").size() != dims.size() ||
      i.list("right_shift_width").size() != dims.size() ||
      i.list("threshold_x_quantized").size() != dims.size()) {
    return fail("the lists differ in length, or the axis is out of range");
  }
  int64_t outer = count(ArrayRef(shape).take_front(axis));
  int64_t inner = count(ArrayRef(shape).drop_front(axis + 1));
  int64_t all = shape[static_cast<size_t>(axis)];
  Bytes result(static_cast<size_t>(count(shape)));
  int64_t begin = 0;
  for (size_t k = 0; k < dims.size() && problem.empty(); ++k) {
    int64_t elements = count({outer, dims[k], inner});
    Bytes part = combine({read(neurons, i.list("input_gaddrs")[k], elements)}, 1,
                         i.list("threshold_x_quantized")[k], i.list("right_shift_width")[k],
                         /*hasRelu=*/false, elements);
    if (begin + dims[k] > all) {
      return fail("the inputs are longer than the output along the axis");
    }
    for (int64_t o = 0; o < outer; ++o) {
      std::copy_n(part.begin() + o * dims[k] * inner, dims[k] * inner,
                  result.begin() + (o * all + begin) * inner);
    }
    begin += dims[k];
  }
  write(neurons, i.get("output_gaddr"), result);
}

void Machine::permute(const Instruction &i) {
  std::array<int64_t, 4> in = inputShape(i);
  int64_t order[] = {i.get("order_n"), i.get("order_c"), i.get("order_h"), i.get("order_w")};
  int64_t elements = count(in);
  Bytes from = read(neurons, i.get("input_gaddr"), elements);
  bool isOrder = llvm::all_of(llvm::seq(0, 4), [&](int d) { return llvm::is_contained(order, d); });
  if (!isOrder || !problem.empty()) {
    return fail("the order is not a permutation of the dimensions");
  }
  Bytes to(from.size());
  for (int64_t index = 0; index < elements; ++index) {
    int64_t at[4];
    int64_t rest = index;
    for (int d = 3; d >= 0; --d) {
      int64_t size = in[static_cast<size_t>(order[d])];
      at[order[d]] = rest % size;
      rest /= size;
    }
    int64_t source = ((at[0] * in[1] + at[1]) * in[2] + at[2]) * in[3] + at[3];
    to[static_cast<size_t>(index)] = from[static_cast<size_t>(source)];
  }
  write(neurons, i.get("output_gaddr"), to);
}

void Machine::transfer(const Instruction &i) {
  bool isLoad = i.name() == "tl_layer_load_stride";
  int64_t shape[] = {i.get("Local_N"), i.get("Local_C"), i.get("Local_H"), i.get("Local_W")};
  int64_t global[] = {i.get("Global_C"), i.get("Global_H"), i.get("Global_W")};
  bool isAligned = i.get("DoAligned") != 0;
  MutableArrayRef<uint8_t> memory = i.get("isNeuron") ? neurons : weights;
  int64_t address = i.get(isLoad ? "ga_src" : "ga_dst");
  int64_t elements = count(shape);
  bool isInside = shape[1] <= global[0] && shape[2] <= global[1] && shape[3] <= global[2];
  if (i.get("DoTranspose") || !isInside || (!isLoad && !i.get("isNeuron"))) {
    return fail("the transfer transposes, is larger than its tensor or writes weights");
  }
  count({shape[0], global[0], global[1], global[2]});
  Bytes local =
      isLoad ? Bytes(static_cast<size_t>(elements)) : readLocal(i.get("la_src"), shape, isAligned);
  int64_t rows = shape[3] == 0 ? 0 : elements / shape[3];
  for (int64_t row = 0; row < rows && problem.empty(); ++row) {
    int64_t y = row % shape[2];
    int64_t c = row / shape[2] % shape[1];
    int64_t n = row / shape[2] / shape[1];
    int64_t offset = ((n * global[0] + c) * global[1] + y) * global[2];
    auto begin = local.begin() + row * shape[3];
    if (isLoad) {
      Bytes line = read(memory, address + offset, shape[3]);
      std::copy(line.begin(), line.end(), begin);
    } else {
      write(memory, address + offset, Bytes(begin, begin + shape[3]));
    }
  }
  if (isLoad) {
    writeLocal(i.get("la_dst"), shape, isAligned, local);
  }
}

void Machine::localConv(const Instruction &i) {
  WindowShape w{i.get("input_n"),  i.get("input_c"),  i.get("input_h"),   i.get("input_w"),
                i.get("output_h"), i.get("output_w"), i.get("kh"),        i.get("kw"),
                i.get("stride_h"), i.get("stride_w"), i.get("pad_h_top"), i.get("pad_w_left"),
                i.get("dh"),       i.get("dw")};
  int64_t outputs = i.get("output_c");
  if (i.get("group") != 1 || i.get("result_add") || i.get("ctrl") || i.get("use_winograd")) {
    fail("the simulator supports only one group, without result_add, ctrl and use_winograd");
  }
  Bytes input = readLocal(i.get("la_ifmap"), {w.n, w.channels, w.height, w.width}, true);
  Bytes weight = readLocal(i.get("la_weight"),
                           {1, outputs, count({w.kernelHeight, w.kernelWidth}), w.channels}, false);
  Bytes bias = i.get("do_bias") ? readLocal(i.get("la_bias"), {2, outputs, 1, 1}, false) : Bytes();
  writeLocal(i.get("la_ofmap"), {w.n, outputs, w.outHeight, w.outWidth}, true,
             convolve(w, 1, outputs, input, weight, bias, i.get("rshift"), i.get("do_relu") != 0));
}

void Machine::localPool(const Instruction &i) {
  WindowShape w{i.get("input_n"),  i.get("input_c"),  i.get("input_h"),   i.get("input_w"),
                i.get("output_h"), i.get("output_w"), i.get("kh"),        i.get("kw"),
                i.get("stride_h"), i.get("stride_w"), i.get("pad_h_top"), i.get("pad_w_left")};
  Bytes input = readLocal(i.get("ifmap_laddr"), {w.n, w.channels, w.height, w.width}, true);
  writeLocal(i.get("ofmap_laddr"), {w.n, w.channels, w.outHeight, w.outWidth}, true,
             pool(w, i.get("is_avg_pooling") != 0, input, i.get("threshold_x_quantized"),
                  i.get("right_shift_width"), /*hasRelu=*/false));
}

void Machine::localEltwise(const Instruction &i) {
  std::array<int64_t, 4> shape = inputShape(i);
  std::vector<Bytes> inputs;
  for (int64_t address : i.list("la_input")) {
    inputs.push_back(readLocal(address, shape, true));
  }
  writeLocal(i.get("la_output"), shape, true,
             combine(inputs, i.get("op"), i.list("threshold_x_quantized"),
                     i.get("right_shift_width"), i.get("do_relu") != 0, count(shape)));
}

llvm::Error Machine::execute(const Instruction &i) {
  static constexpr std::pair<llvm::StringLiteral, void (Machine::*)(const Instruction &)>
      kKernels[] = {{"conv_p", &Machine::conv},
                    {"fc", &Machine::fc},
                    {"pooling", &Machine::pooling},
                    {"eltwise", &Machine::eltwise},
                    {"relu", &Machine::relu},
                    {"lrn", &Machine::lrn},
                    {"concat", &Machine::concat},
                    {"permute", &Machine::permute},
                    {"tl_layer_load_stride", &Machine::transfer},
                    {"tl_layer_store_stride", &Machine::transfer},
                    {"bm_tl_conv", &Machine::localConv},
                    {"tl_pool", &Machine::localPool},
                    {"tl_eltwise", &Machine::localEltwise}};
  problem.clear();
  const auto *found =
      llvm::find_if(kKernels, [&](const auto &kernel) { return kernel.first == i.name(); });
  if (found == std::end(kKernels)) {
    fail("the simulator does not support this instruction");
  } else {
    (this->*found->second)(i);
  }
  if (problem.empty()) {
    return llvm::Error::success();
  }
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 i.name() + " of '" + i.layer + "': " + problem);
}

} // namespace convoy::bm1880
