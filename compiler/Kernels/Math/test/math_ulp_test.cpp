// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the math functions against the bounds of math_ulp_table.inc, with libm in the next wider
// type as reference. Samples are special values, bit patterns spread over the whole type, and
// numbers in the range of non-trivial results. `--table` prints docs/reference/math-ulp.md. The
// test fails if the bounds on that page differ from the table.

#include "Kernels/Math/test/MathKernels.h"
#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <sstream>

namespace convoy::test {
namespace {

double rsqrt(double x) { return 1 / std::sqrt(x); }
long double rsqrtl(long double x) { return 1 / std::sqrt(x); }

/// One row of math_ulp_table.inc.
struct Row {
  std::string op;
  int operands;
  double (*wide1)(double);
  double (*wide2)(double, double);
  long double (*extended1)(long double);
  long double (*extended2)(long double, long double);
  double bound32;
  double bound64;
  double low;
  double high;
};

/// Prints the name of a row for GoogleTest.
void PrintTo(const Row &row, std::ostream *out) { *out << row.op; }

const std::vector<Row> &table() {
#define UNARY(op, f, bound32, bound64, low, high)                                                  \
  {#op, 1, f, nullptr, f##l, nullptr, bound32, bound64, low, high},
#define BINARY(op, f, bound32, bound64, low, high)                                                 \
  {#op, 2, nullptr, f, nullptr, f##l, bound32, bound64, low, high},
  static const std::vector<Row> rows = {
#include "Kernels/Math/test/math_ulp_table.inc"
  };
#undef UNARY
#undef BINARY
  return rows;
}

// Properties of an element type.
template <typename T>
struct Traits;
template <>
struct Traits<float> {
  using Wide = double;
  using Bits = uint32_t;
  static constexpr const char *name = "f32";
  static constexpr int lanes = 16;
  static constexpr size_t samples = 1 << 20;
  static double bound(const Row &row) { return row.bound32; }
  static Wide reference(const Row &row, Wide x, Wide y) {
    return row.operands == 1 ? row.wide1(x) : row.wide2(x, y);
  }
};
template <>
struct Traits<double> {
  using Wide = long double;
  using Bits = uint64_t;
  static constexpr const char *name = "f64";
  static constexpr int lanes = 8;
  static constexpr size_t samples = 200000;
  static double bound(const Row &row) { return row.bound64; }
  static Wide reference(const Row &row, Wide x, Wide y) {
    return row.operands == 1 ? row.extended1(x) : row.extended2(x, y);
  }
};

template <typename T>
MathKernel kernelOf(const Row &row, int lanes) {
  return {row.op, Traits<T>::name, lanes, row.operands};
}

/// Returns vector and scalar kernels of every row, with or without fused multiply-add; compiles
/// them once.
MathKernels &kernels(bool fuse) {
  // Never destroyed: the JIT's destructor needs LLVM statics that are destroyed before it.
  static auto &compiled = *new std::map<bool, std::unique_ptr<MathKernels>>;
  std::unique_ptr<MathKernels> &slot = compiled[fuse];
  if (!slot) {
    std::vector<MathKernel> all;
    for (const Row &row : table()) {
      all.push_back(kernelOf<float>(row, Traits<float>::lanes));
      all.push_back(kernelOf<double>(row, Traits<double>::lanes));
      if (fuse) {
        all.push_back(kernelOf<float>(row, 1));
        all.push_back(kernelOf<double>(row, 1));
      }
    }
    slot = std::make_unique<MathKernels>(all, fuse);
  }
  return *slot;
}

template <typename T>
T fromBits(typename Traits<T>::Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename T>
typename Traits<T>::Bits toBits(T value) {
  typename Traits<T>::Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Returns the distance of `got` from `want` in units in the last place of T at `want`. Infinity
/// counts as the power of two after the largest number. Returns nothing if only one of the two is
/// NaN, or if a zero has the wrong sign.
template <typename T>
std::optional<double> ulps(T got, typename Traits<T>::Wide want) {
  using Limits = std::numeric_limits<T>;
  using Wide = typename Traits<T>::Wide;
  if (std::isnan(got) || std::isnan(want)) {
    return std::isnan(got) && std::isnan(want) ? std::optional<double>(0) : std::nullopt;
  }
  if (got == 0 && std::signbit(got) != std::signbit(want)) {
    return std::nullopt;
  }
  Wide top = std::ldexp(Wide(1), Limits::max_exponent);
  auto clamp = [&](Wide x) { return std::fmax(-top, std::fmin(top, x)); };
  Wide exact = clamp(want);
  int exponent = exact == 0 ? Limits::min_exponent - 1 : std::ilogb(exact);
  exponent = std::min(std::max(exponent, Limits::min_exponent - 1), Limits::max_exponent - 1);
  Wide unit = std::ldexp(Wide(1), exponent - Limits::digits + 1);
  return static_cast<double>(std::fabs(clamp(got) - exact) / unit);
}

/// Above 2^30, sin, cos and tan treat their argument as zero, as documented. A separate test below
/// checks this.
template <typename T>
bool isOutOfRange(const Row &row, T x) {
  bool isPeriodic = row.op == "sin" || row.op == "cos" || row.op == "tan";
  return isPeriodic && std::isfinite(x) && std::fabs(x) > T(0x1p30);
}

template <typename T>
std::vector<T> specialValues() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0, 1, 2, 3, 0.5, 1.5, 2.5, 4, 10, 100, T(0.1), T(1e-4), T(1e5)};
  for (T value : {Limits::min(), Limits::max(), Limits::denorm_min(), Limits::infinity(),
                  Limits::epsilon(), T(Limits::min() - Limits::denorm_min()), T(M_PI), T(M_PI_2),
                  T(M_SQRT1_2), T(M_LN2), T(0x1p23), T(0x1p24), T(0x1p52), T(0x1p53)}) {
    values.push_back(value);
    values.push_back(std::nextafter(value, T(0)));
    values.push_back(std::nextafter(value, T(Limits::infinity())));
  }
  for (T value : {T(1), T(0.5), T(2), T(0.625), T(0.875), T(89), T(710)}) {
    values.push_back(std::nextafter(value, T(0)));
    values.push_back(std::nextafter(value, T(1000)));
  }
  values.push_back(Limits::quiet_NaN());
  std::vector<T> both = values;
  for (T value : values) {
    both.push_back(-value);
  }
  return both;
}

template <typename T>
struct Samples {
  std::vector<T> x;
  std::vector<T> y;

  void add(T a, T b) {
    x.push_back(a);
    y.push_back(b);
  }
};

/// Returns `count` numbers and all special values; for two operands, all pairs of special values.
template <typename T>
Samples<T> samplesFor(const Row &row, size_t count) {
  using Bits = typename Traits<T>::Bits;
  Samples<T> samples;
  std::vector<T> specials = specialValues<T>();
  for (T a : specials) {
    for (size_t i = 0; i < (row.operands == 2 ? specials.size() : 1); ++i) {
      samples.add(a, specials[i]);
    }
  }
  std::mt19937_64 random(20240601);
  std::uniform_real_distribution<double> inside(row.low, row.high);
  Bits stratum = std::numeric_limits<Bits>::max() / (count / 2);
  for (size_t i = 0; i < count / 2; ++i) {
    samples.add(fromBits<T>(Bits(i * stratum + random() % stratum)), fromBits<T>(Bits(random())));
    samples.add(T(inside(random)), T(inside(random)));
  }
  if (row.op == "powf") { // Spreads results over the whole range instead of 0 and infinity.
    for (size_t i = 0; i < count / 2; ++i) {
      T base = std::fabs(fromBits<T>(Bits(random())));
      T reach = T(std::numeric_limits<T>::max_exponent * M_LN2 / std::log(base));
      samples.add(base, T(inside(random) / row.high) * reach);
    }
  }
  while (samples.x.size() % 16 != 0) {
    samples.add(1, 1);
  }
  return samples;
}

/// Returns the largest error over `samples`. Reports the first few wrong results.
template <typename T>
double measure(const Row &row, const Samples<T> &samples, bool fuse) {
  std::vector<T> out(samples.x.size());
  kernels(fuse).run(kernelOf<T>(row, Traits<T>::lanes), samples.x, samples.y, out);
  double worst = 0;
  size_t worstAt = 0;
  size_t wrong = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (isOutOfRange(row, samples.x[i])) {
      continue;
    }
    auto want = Traits<T>::reference(row, samples.x[i], samples.y[i]);
    if (worst >= 0.5 && out[i] == T(want) && out[i] != 0) {
      continue; // The result is correctly rounded.
    }
    std::optional<double> error = ulps<T>(out[i], want);
    if (!error && ++wrong < 4) {
      ADD_FAILURE() << row.op << " " << Traits<T>::name << "(" << samples.x[i] << ", "
                    << samples.y[i] << ") gives " << out[i] << ", expected " << want;
    } else if (error && *error > worst) {
      worst = *error;
      worstAt = i;
    }
  }
  EXPECT_LE(worst, Traits<T>::bound(row))
      << row.op << " " << Traits<T>::name << (fuse ? "" : " without fma")
      << " at x = " << std::hexfloat << samples.x[worstAt] << ", y = " << samples.y[worstAt]
      << " gives " << out[worstAt];
  return worst;
}

template <typename T>
double measure(const Row &row, size_t count, bool fuse) {
  return measure(row, samplesFor<T>(row, count), fuse);
}

struct Measured {
  double f32;
  double f64;
  double f32Unfused;
  double f64Unfused;
};

Measured measureAll(const Row &row) {
  return {measure<float>(row, Traits<float>::samples, true),
          measure<double>(row, Traits<double>::samples, true),
          measure<float>(row, Traits<float>::samples / 8, false),
          measure<double>(row, Traits<double>::samples / 8, false)};
}

class MathUlp : public testing::TestWithParam<Row> {};

TEST(MathKernelsTest, CallNoLibrary) {
  EXPECT_EQ(kernels(true).problem(), "");
  EXPECT_EQ(kernels(false).problem(), "");
}

TEST(MathKernelsTest, LinkWithoutLibmOnTheOldestProcessor) {
  std::vector<MathKernel> all;
  for (const Row &row : table()) {
    all.push_back(kernelOf<float>(row, 4));
    all.push_back(kernelOf<double>(row, 1));
  }
  EXPECT_EQ(symbolsLeftToLink(all), std::vector<std::string>());
}

TEST_P(MathUlp, StaysWithinBounds) {
  ASSERT_EQ(kernels(true).problem(), "");
  ASSERT_EQ(kernels(false).problem(), "");
  Measured measured = measureAll(GetParam());
  std::printf("%-6s f32 %.3f  f64 %.3f  without fma %.3f  %.3f ulp\n", GetParam().op.c_str(),
              measured.f32, measured.f64, measured.f32Unfused, measured.f64Unfused);
}

template <typename T>
void expectScalarMatchesVector(const Row &row) {
  Samples<T> samples = samplesFor<T>(row, 1 << 15);
  std::vector<T> vectors(samples.x.size());
  std::vector<T> scalars(samples.x.size());
  kernels(true).run(kernelOf<T>(row, Traits<T>::lanes), samples.x, samples.y, vectors);
  kernels(true).run(kernelOf<T>(row, 1), samples.x, samples.y, scalars);
  for (size_t i = 0; i < scalars.size(); ++i) {
    if (std::isnan(scalars[i]) && std::isnan(vectors[i])) {
      continue;
    }
    ASSERT_EQ(toBits(scalars[i]), toBits(vectors[i])) << row.op << " at " << samples.x[i];
  }
}

TEST_P(MathUlp, ScalarMatchesVectorBitForBit) {
  ASSERT_EQ(kernels(true).problem(), "");
  expectScalarMatchesVector<float>(GetParam());
  expectScalarMatchesVector<double>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Functions, MathUlp, testing::ValuesIn(table()),
                         [](const auto &info) { return info.param.op; });

template <typename T>
void expectFarArgumentsCountAsZero(const Row &row) {
  std::vector<T> x(16, std::nextafter(T(0x1p30), T(0x1p31)));
  x[1] = std::numeric_limits<T>::max();
  std::vector<T> out(16);
  kernels(true).run(kernelOf<T>(row, Traits<T>::lanes), x, x, out);
  T atZero = row.op == "cos" ? 1 : 0;
  EXPECT_EQ(out[0], atZero) << row.op;
  EXPECT_EQ(out[1], atZero) << row.op;
}

TEST(MathRange, FarArgumentsOfPeriodicFunctionsCountAsZero) {
  ASSERT_EQ(kernels(true).problem(), "");
  for (const Row &row : table()) {
    if (row.op == "sin" || row.op == "cos" || row.op == "tan") {
      expectFarArgumentsCountAsZero<float>(row);
      expectFarArgumentsCountAsZero<double>(row);
    }
  }
}

// Slow, runs only if selected by name: tests every sixteenth bit pattern of f32.
TEST_P(MathUlp, DISABLED_StaysWithinBoundsNearlyEverywhere_slow) {
  const Row &row = GetParam();
  ASSERT_EQ(kernels(true).problem(), "");
  if (row.operands == 2) {
    GTEST_SKIP() << "two operands have too many bit patterns";
  }
  double worst = 0;
  constexpr uint64_t stride = 16;
  constexpr uint64_t block = 1 << 20;
  for (uint64_t first = 0; first < 0x1p32; first += stride * block) {
    Samples<float> samples;
    for (uint64_t i = 0; i < block; ++i) {
      float x = fromBits<float>(static_cast<uint32_t>(first + i * stride + i % stride));
      samples.add(x, x);
    }
    worst = std::max(worst, measure<float>(row, samples, true));
  }
  std::printf("%-6s f32 %.3f ulp\n", row.op.c_str(), worst);
}

std::string boundCells(const Row &row) {
  std::ostringstream cells;
  cells << "| `math." << row.op << "` | " << row.bound32 << " | " << row.bound64 << " |";
  return cells.str();
}

TEST(MathDocument, StatesTheBoundsOfTheTable) {
  std::ifstream file(CONVOY_MATH_ULP_DOCUMENT);
  std::stringstream text;
  text << file.rdbuf();
  for (const Row &row : table()) {
    EXPECT_NE(text.str().find(boundCells(row)), std::string::npos)
        << CONVOY_MATH_ULP_DOCUMENT << " lacks \"" << boundCells(row)
        << "\": regenerate it with math_ulp_test --table";
  }
}

void printTable() {
  std::cout
      << "# Accuracy of math functions\n\n"
         "<!-- Written by `math_ulp_test --table`. -->\n\n"
         "Convoy computes these functions itself (`compiler/Kernels/Math`): compiled models call\n"
         "no libm, and give the same bits on every target with the same `fma` setting. Errors are\n"
         "in units in the last place (ulp) of the true value; half an ulp is correct rounding.\n"
         "*Bound* is what the test suite enforces over special values and a million (f32) or\n"
         "200,000 (f64) numbers; *measured* is the largest error it met, then the same on targets\n"
         "without a fused multiply-add.\n\n"
         "f16 and bf16 are computed in f32 and rounded once more. Denormals are kept. NaN,\n"
         "infinities and signed zeros follow C99 annex F. `sin`, `cos` and `tan` are accurate to\n"
         "|x| = 2^30; larger finite arguments count as zero. Exact in one operation, and "
         "therefore\n"
         "not here: `absf`, `ceil`, `copysign`, `floor`, `fma`, `roundeven`, `sqrt`, `trunc`.\n"
         "The sigmoid of f32 is not an op of the math dialect. It is zero below -87, where its\n"
         "value is below 2^-125.\n\n"
         "| function | f32 bound | f64 bound | f32 measured | f64 measured | f32 without fma | f64 "
         "without fma |\n|---|---|---|---|---|---|---|\n";
  for (const Row &row : table()) {
    Measured measured = measureAll(row);
    std::printf("%s %.2f | %.2f | %.2f | %.2f |\n", boundCells(row).c_str(), measured.f32,
                measured.f64, measured.f32Unfused, measured.f64Unfused);
  }
}

} // namespace
} // namespace convoy::test

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1 && std::string(argv[1]) == "--table") {
    convoy::test::printTable();
    return 0;
  }
  return RUN_ALL_TESTS();
}
