// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The versions of ops, which a script wrote from ONNX's own schemas.

#include "Import/OpVersions.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::import {

constexpr OpVersions kVersions[] = {
#include "Import/OpVersions.inc"
};

const OpVersions *findOpVersions(llvm::StringRef domain, llvm::StringRef name) {
  auto it = llvm::find_if(kVersions, [&](const OpVersions &versions) {
    return versions.domain == domain && versions.name == name;
  });
  return it == std::end(kVersions) ? nullptr : &*it;
}

} // namespace convoy::import
