// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool_bytes template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/ByteTemplate.h"
#include "Kernels/PoolBytes/PoolBytes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Instructions per byte of a window and per result, measured on a Cortex-M55 with gcc.
constexpr double kTapInstructions = 1;
constexpr double kResultInstructions = 6;

class PoolBytesTemplate : public ByteTemplate<PoolBytesAttr, BytesPool> {
public:
  int version() const override { return kPoolBytesVersion; }

protected:
  std::optional<BytesPool> match(Block &body, std::string &reason) const override {
    return matchPoolBytes(body, reason);
  }

  Attribute inputLayout(const KernelFacts &facts, const BytesPool &pool) const override {
    return pixelLayout(facts.context(), pool.windows.groups);
  }

  std::vector<Choice> chooseMatched(const KernelFacts &facts, const BytesPool &pool,
                                    const Machine & /*machine*/) const override {
    const ConvProblem &p = pool.windows;
    auto results = static_cast<double>(p.outputRows * p.outputColumns * p.groups);
    double each = kTapInstructions * static_cast<double>(p.taps()) + kResultInstructions;
    return {{PoolBytesAttr::get(facts.context(), /*rows=*/1), inputLayout(facts, pool),
             each * results}};
  }

  LogicalResult lowerMatched(task::KernelOp function, const BytesPool &pool, PoolBytesAttr /*config*/,
                             const Machine & /*machine*/) const override {
    return lowerPoolBytes(function, pool);
  }
};

} // namespace

const KernelTemplate &poolBytesTemplate() { return onlyObject<PoolBytesTemplate>(); }

} // namespace convoy::kernels
