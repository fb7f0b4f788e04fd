// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates convolutions. Most of the reference interpreter's time is spent
// here, so border checks are done once per row instead of per element:
//
//   result row piece (up to 64 columns) x 8 output channels  <- one accumulator
//     += input row piece x 8 weights     for each input channel and kernel tap
//
// Each tap stores the columns of the piece that it reaches; the other columns
// are padding.

#include "reference/Convolution.h"
#include "reference/Elements.h"
#include "reference/Odometer.h"
#include "reference/Parallel.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::reference {
namespace {

constexpr int64_t kPiece = 64; // columns; 64 x 8 sums of 8 bytes stay in L1

struct Geometry {
  int64_t batch;
  int64_t groups;
  int64_t inputs;  // channels per group
  int64_t outputs; // channels per group
  Shape input;     // spatial sizes
  Shape kernel;
  Shape output;
  Shape strides;
  Shape dilations;
  Shape pads; // begins only

  int64_t rows() const { return product(ArrayRef(output).drop_back()); }
  int64_t columns() const { return output.back(); }
  int64_t inputPlane() const { return product(input); }
  int64_t outputPlane() const { return product(output); }
  int64_t taps() const { return product(kernel); }
};

template <typename OpT>
Geometry geometryOf(OpT op, const Tensor &input, const Tensor &weight, const Tensor &result) {
  int64_t groups = op.getGroups();
  Geometry g;
  g.batch = input.dim(0);
  g.groups = groups;
  g.inputs = weight.dim(1);
  g.outputs = weight.dim(0) / groups;
  g.input = Shape(input.shape().drop_front(2));
  g.kernel = Shape(weight.shape().drop_front(2));
  g.output = Shape(result.shape().drop_front(2));
  g.strides = Shape(op.getStrides());
  g.dilations = Shape(op.getDilations());
  g.pads = Shape(op.getPads().take_front(g.input.size()));
  // A pointwise convolution does not depend on rows: one long row is faster.
  bool isAligned = llvm::all_of(g.strides, [](int64_t stride) { return stride == 1; }) &&
                   llvm::all_of(g.pads, [](int64_t pad) { return pad == 0; });
  if (g.taps() == 1 && isAligned && g.input == g.output) {
    g.input = g.output = {g.inputPlane()};
    g.kernel = g.strides = g.dilations = {1};
    g.pads = {0};
  }
  return g;
}

/// One kernel element and the columns [begin, end) of the piece that it
/// reaches.
struct Tap {
  int64_t weight; // offset in the weights of one input channel
  int64_t input;  // offset in the input plane for column `begin`
  int64_t begin;
  int64_t end;
};

/// Appends the taps of one kernel row whose input row starts at `inputRow`.
void appendRowTaps(const Geometry &g, int64_t inputRow, int64_t weightRow, int64_t firstColumn,
                   int64_t columns, std::vector<Tap> &taps) {
  int64_t width = g.input.back();
  int64_t stride = g.strides.back();
  for (int64_t k = 0; k < g.kernel.back(); ++k) {
    // Column c reads x = (firstColumn + c) * stride + shift.
    int64_t shift = k * g.dilations.back() - g.pads.back();
    int64_t begin = std::max<int64_t>(llvm::divideCeilSigned(-shift, stride) - firstColumn, 0);
    int64_t end = std::min(llvm::divideCeilSigned(width - shift, stride) - firstColumn, columns);
    if (begin < end) {
      int64_t x = (firstColumn + begin) * stride + shift;
      taps.push_back({weightRow + k, inputRow + x, begin, end});
    }
  }
}

/// Computes the taps of a piece of one result row.
void findTaps(const Geometry &g, ArrayRef<int64_t> row, int64_t firstColumn, int64_t columns,
              std::vector<Tap> &taps) {
  taps.clear();
  if (g.inputs == 0) {
    return; // Without channels, a kernel of any size has no elements.
  }
  int64_t outer = row.size();
  Shape kernelOuter(g.kernel.begin(), g.kernel.end() - 1);
  Shape k(outer, 0);
  int64_t weightRow = 0;
  do {
    int64_t inputRow = 0;
    bool isInside = true;
    for (int64_t i = 0; i < outer && isInside; ++i) {
      int64_t y = row[i] * g.strides[i] + k[i] * g.dilations[i] - g.pads[i];
      isInside = y >= 0 && y < g.input[i];
      inputRow = inputRow * g.input[i] + y;
    }
    if (isInside) {
      appendRowTaps(g, inputRow * g.input.back(), weightRow, firstColumn, columns, taps);
    }
    weightRow += g.kernel.back();
  } while (advance(k, kernelOuter));
}

template <typename T>
struct Convolution {
  using A = Accumulator<T>;

  const Geometry g;
  const T *input;
  const T *weight;
  const T *bias; // null if there is none
  Tensor &result;

  int64_t blocks(int64_t block) const { return llvm::divideCeilSigned(g.outputs, block); }
  int64_t pieces() const { return llvm::divideCeilSigned(g.columns(), kPiece); }

  /// Sums kBlock output channels of one piece.
  template <int kBlock>
  void sum(const T *group, const T *weights, int64_t channels, ArrayRef<Tap> taps, A *sums) const {
    int64_t weightsPerOutput = g.inputs * g.taps();
    for (int64_t c = 0; c < g.inputs; ++c) {
      const T *plane = group + c * g.inputPlane();
      for (const Tap &tap : taps) {
        const T *w = weights + c * g.taps() + tap.weight;
        A block[kBlock] = {};
        for (int64_t j = 0; j < channels; ++j) {
          block[j] = w[j * weightsPerOutput];
        }
        multiplyAdd<kBlock>(plane + tap.input, g.strides.back(), tap.end - tap.begin, block,
                            sums + tap.begin * kBlock);
      }
    }
  }

  /// Computes the piece with a given index: batch, group, block, row, piece.
  template <int kBlock>
  void computePiece(int64_t item, std::vector<Tap> &taps) const {
    Shape at = unflatten(item, {g.batch, g.groups, blocks(kBlock), g.rows(), pieces()});
    int64_t firstColumn = at[4] * kPiece;
    int64_t columns = std::min(kPiece, g.columns() - firstColumn);
    int64_t first = at[1] * g.outputs + at[2] * kBlock; // output channel
    int64_t channels = std::min<int64_t>(kBlock, g.outputs - at[2] * kBlock);
    findTaps(g, unflatten(at[3], ArrayRef(g.output).drop_back()), firstColumn, columns, taps);

    A sums[kPiece * kBlock];
    for (int64_t i = 0; i < columns * kBlock; ++i) {
      int64_t j = i % kBlock;
      sums[i] = bias && j < channels ? bias[first + j] : T(0);
    }
    const T *group = input + (at[0] * g.groups + at[1]) * g.inputs * g.inputPlane();
    sum<kBlock>(group, weight + first * g.inputs * g.taps(), channels, taps, sums);
    for (int64_t j = 0; j < channels; ++j) {
      int64_t plane = at[0] * g.groups * g.outputs + first + j;
      int64_t offset = plane * g.outputPlane() + at[3] * g.columns() + firstColumn;
      storeSums(result, offset, sums + j, columns, kBlock);
    }
  }

  void run() const {
    if (g.outputs == 1) {
      runBlocks<1>(); // Depthwise: a block has one channel.
    } else {
      runBlocks<8>();
    }
  }

private:
  template <int kBlock>
  void runBlocks() const {
    int64_t items = g.batch * g.groups * blocks(kBlock) * g.rows() * pieces();
    double cost = static_cast<double>(g.inputs * g.taps()) *
                  static_cast<double>(std::min(kPiece, g.columns())) * kBlock;
    parallelFor(items, cost, [&](int64_t begin, int64_t end) {
      std::vector<Tap> taps;
      for (int64_t item = begin; item < end; ++item) {
        computePiece<kBlock>(item, taps);
      }
    });
  }
};

} // namespace

void convolve(const Tensor &input, const Tensor &weight, const Tensor *bias,
              const ConvWindow &window, Tensor &result) {
  if (result.isEmpty()) {
    return;
  }
  dispatchArithmetic(input.type(), [&](auto zero) {
    using T = decltype(zero);
    Elements<T> x(input);
    Elements<T> w(weight);
    std::optional<Elements<T>> b;
    if (bias) {
      b.emplace(*bias);
    }
    Convolution<T> convolution{geometryOf(window, input, weight, result), x.data(), w.data(),
                               b ? b->data() : nullptr, result};
    convolution.run();
  });
}

LogicalResult evaluateConv(graph::ConvOp op, Evaluation &e) {
  const Tensor *bias = op.getBias() ? &e.input(op.getBias()) : nullptr;
  ConvWindow window{op.getStrides(), op.getPads(), op.getDilations(),
                    static_cast<int64_t>(op.getGroups())};
  convolve(e.input(op.getInput()), e.input(op.getWeight()), bias, window, e.output());
  return success();
}

LogicalResult evaluateIntegerConv(graph::IntegerConvOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &weight = e.input(op.getWeight());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  dispatchSums(result, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> x = centered<T>(input, op.getInputZeroPoint());
    std::vector<T> w = centered<T>(weight, op.getWeightZeroPoint());
    Value zeroPoints = op.getChannelZeroPoints();
    subtractChannels(w, zeroPoints ? &e.input(zeroPoints) : nullptr,
                     *elementCount(weight.shape().drop_front()));
    std::vector<T> bias;
    if (op.getBias()) {
      bias = centered<T>(e.input(op.getBias()), 0);
    }
    Convolution<T> convolution{geometryOf(op, input, weight, result), x.data(), w.data(),
                               op.getBias() ? bias.data() : nullptr, result};
    convolution.run();
  });
  return success();
}

namespace {

/// Adds weight * input plane to the result plane, spread by the strides and
/// shifted by one kernel element.
template <typename T>
struct Scatter {
  using A = Accumulator<T>;
  ArrayRef<int64_t> input;
  ArrayRef<int64_t> output;
  ArrayRef<int64_t> strides;

  void add(const T *plane, A weight, ArrayRef<int64_t> shift, A *sums) const {
    int64_t last = input.size() - 1;
    int64_t stride = strides[last];
    // Columns x with 0 <= x * stride + shift < width.
    int64_t begin = std::max<int64_t>(llvm::divideCeilSigned(-shift[last], stride), 0);
    int64_t end = std::min(llvm::divideCeilSigned(output[last] - shift[last], stride), input[last]);
    ArrayRef<int64_t> rows = input.drop_back();
    Shape row(last, 0);
    do {
      int64_t target = 0;
      bool isInside = true;
      for (int64_t i = 0; i < last && isInside; ++i) {
        int64_t y = row[i] * strides[i] + shift[i];
        isInside = y >= 0 && y < output[i];
        target = target * output[i] + y;
      }
      if (isInside) {
        int64_t first = target * output[last] + shift[last];
        for (int64_t x = begin; x < end; ++x) {
          sums[first + x * stride] += weight * static_cast<A>(plane[x]);
        }
      }
      plane += input[last];
    } while (advance(row, rows));
  }
};

/// Computes one result plane of a transposed convolution into `sums`.
template <typename T>
void transposePlane(graph::ConvTransposeOp op, const Tensor &input, const Tensor &weight,
                    ArrayRef<int64_t> output, const T *x, const T *w, int64_t batch,
                    int64_t channel, std::vector<Accumulator<T>> &sums) {
  Scatter<T> scatter{input.shape().drop_front(2), output.drop_front(2), op.getStrides()};
  ArrayRef<int64_t> kernel = weight.shape().drop_front(2);
  int64_t outputs = weight.dim(1); // per group
  int64_t inputs = input.dim(1) / static_cast<int64_t>(op.getGroups());
  int64_t taps = product(kernel);
  int64_t inputPlane = product(scatter.input);
  if (inputPlane == 0) {
    return;
  }
  Shape k(kernel.size(), 0);
  Shape shift(kernel.size());
  for (int64_t c = channel / outputs * inputs; c < (channel / outputs + 1) * inputs; ++c) {
    const T *plane = x + (batch * input.dim(1) + c) * inputPlane;
    const T *weights = w + (c * outputs + channel % outputs) * taps;
    for (int64_t tap = 0; tap < taps; ++tap, advance(k, kernel)) {
      for (size_t i = 0; i < kernel.size(); ++i) {
        shift[i] = k[i] * op.getDilations()[i] - op.getPads()[i];
      }
      scatter.add(plane, static_cast<Accumulator<T>>(weights[tap]), shift, sums.data());
    }
  }
}

} // namespace

LogicalResult evaluateConvTranspose(graph::ConvTransposeOp op, Evaluation &e) {
  const Tensor &input = e.input(op.getInput());
  const Tensor &weight = e.input(op.getWeight());
  Tensor &result = e.output();
  if (result.isEmpty()) {
    return success();
  }
  int64_t channels = result.dim(1);
  int64_t plane = product(result.shape().drop_front(2));
  dispatchArithmetic(input.type(), [&](auto zero) {
    using T = decltype(zero);
    Elements<T> x(input);
    Elements<T> w(weight);
    std::optional<Elements<T>> bias;
    if (op.getBias()) {
      bias.emplace(e.input(op.getBias()));
    }
    double cost = static_cast<double>(product(input.shape().drop_front(1))) *
                  static_cast<double>(product(weight.shape().drop_front(2)));
    parallelFor(input.dim(0) * channels, cost, [&](int64_t begin, int64_t end) {
      std::vector<Accumulator<T>> sums(plane);
      for (int64_t item = begin; item < end; ++item) {
        std::fill(sums.begin(), sums.end(), bias ? (*bias)[item % channels] : T(0));
        transposePlane<T>(op, input, weight, result.shape(), x.data(), w.data(), item / channels,
                          item % channels, sums);
        storeSums(result, item * plane, sums.data(), plane);
      }
    });
  });
  return success();
}

} // namespace convoy::reference
