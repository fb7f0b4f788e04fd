// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy --version`: the versions that a bug report names.

#include "convoy/version.h"
#include "Driver/ListOps.h"
#include "Verbs.h"
#include "convoy/convoy.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace convoy::tool {

ExitCode printVersion(bool isJson, Console &console) {
  if (isJson) {
    llvm::json::Object object{{"name", "convoy"},
                              {"version", versionText()},
                              {"llvm_version", LLVM_VERSION_STRING},
                              {"onnx_opset", driver::newestOpset()},
                              {"runtime_interface_version", CONVOY_ABI_VERSION}};
    console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
    return kDone;
  }
  console.out << "convoy " << versionText() << " (LLVM " << LLVM_VERSION_STRING << ", ONNX opset "
              << driver::newestOpset() << ")\n";
  return kDone;
}

} // namespace convoy::tool
