// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool_bytes template as the layout stage, the tuner and the kernels stage see it.

#include "Kernels/ByteTemplate.h"
#include "Kernels/ConvBytes/ConvBytes.h"
#include "Kernels/PoolBytes/PoolBytes.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Instructions per byte of a window and per result, measured on a Cortex-M55 with gcc.
constexpr double kTapInstructions = 1;
constexpr double kResultInstructions = 6;

class PoolBytesTemplate : public ByteTemplate<BytesPool> {
public:
  StringRef id() const override { return PoolBytesAttr::getMnemonic(); }
  int version() const override { return kPoolBytesVersion; }

  LogicalResult lower(task::KernelOp function, Attribute config,
                      const Machine & /*machine*/) const override {
    return lowerPoolBytes(function, cast<PoolBytesAttr>(config));
  }

protected:
  std::optional<BytesPool> match(const KernelFacts &facts, std::string &reason) const override {
    return matchPoolBytes(facts.body(), reason);
  }

  Choice chooseBytes(const KernelFacts &facts, const BytesPool &pool) const override {
    const ConvProblem &p = pool.windows;
    auto results = static_cast<double>(p.outputRows * p.outputColumns * p.groups);
    double each = kTapInstructions * static_cast<double>(p.taps()) + kResultInstructions;
    return {PoolBytesAttr::get(facts.context(), /*rows=*/1), pixelLayout(facts.context(), p.groups),
            each * results};
  }
};

} // namespace

const KernelTemplate &poolBytesTemplate() {
  static const PoolBytesTemplate kTemplate;
  return kTemplate;
}

} // namespace convoy::kernels
