// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The targets of NVDLA and the settings in their names.

#include "Accelerators/NVDLA/Compile/Options.h"
#include "Support/TypedDiagnostic.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace convoy::nvdla {

static constexpr NamedConfig kNamedConfigs[] = {
    {"nvdla-small", "nv_small", "NVDLA nv_small, 64 MACs, int8, simulated"},
    {"nvdla-small-256", "nv_small_256", "NVDLA nv_small_256, 256 MACs, int8, simulated"},
    {"nvdla-medium-512", "nv_medium_512", "NVDLA nv_medium_512, 512 MACs, int8, simulated"},
    {"nvdla-large", "nv_large", "NVDLA nv_large, 2048 MACs, int8, simulated"},
    {"nvdla-full", "nv_full", "NVDLA nv_full, 2048 MACs, int8 and fp16, simulated"},
};

llvm::ArrayRef<NamedConfig> namedConfigs() { return kNamedConfigs; }

const NamedConfig *findNamedConfig(llvm::StringRef target) {
  llvm::StringRef name = target.split(':').first;
  const auto *found =
      llvm::find_if(kNamedConfigs, [&](const NamedConfig &t) { return t.name == name; });
  return found == std::end(kNamedConfigs) ? nullptr : found;
}

llvm::Expected<std::optional<NvdlaOptions>> readTarget(llvm::StringRef target) {
  const NamedConfig *found = findNamedConfig(target);
  if (!found) {
    return std::optional<NvdlaOptions>();
  }
  NvdlaOptions options;
  options.config = findHardwareConfig(found->config);
  llvm::StringRef settings = target.split(':').second;
  while (!settings.empty()) {
    auto [setting, rest] = settings.split(':');
    if (setting == "optimize=memory") {
      options.savesMemory = true;
    } else if (setting == "profile=separate") {
      options.isSeparate = true;
    } else if (setting == "groups=dense") {
      options.hasDenseGroups = true;
    } else if (setting != "optimize=latency" && setting != "profile=fused" &&
               setting != "groups=split") {
      return llvm::createStringError(
          "target '" + target +
          "' expects optimize=latency, optimize=memory, profile=fused, profile=separate, "
          "groups=split or groups=dense, got '" +
          setting + "'");
    }
    settings = rest;
  }
  return std::optional(options);
}

std::optional<NvdlaOptions> requireOptions(Operation *op, llvm::StringRef config) {
  llvm::Expected<std::optional<NvdlaOptions>> options = readTarget(config);
  if (!options) {
    emitError(op->getLoc(), options.takeError());
    return std::nullopt;
  }
  if (!*options) {
    auto names = llvm::map_range(kNamedConfigs, [](const NamedConfig &t) { return t.name.str(); });
    op->emitError("the option 'config' of the pass expects one of ")
        << llvm::join(names, ", ") << "; got '" << config << "'";
  }
  return *options;
}

} // namespace convoy::nvdla
