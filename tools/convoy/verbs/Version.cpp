// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy --version`: the versions that a bug report names.

#include "convoy/version.h"
#include "Driver/ListOps.h"
#include "convoy/convoy.h"
#include "tools/convoy/output/JsonOutput.h"
#include "llvm/Config/llvm-config.h"

namespace convoy::tool {

ExitCode printVersion(const JsonFlag &json, Console &console) {
  auto printObject = [](llvm::raw_ostream &os) {
    printJson(os, llvm::json::Object{{"name", "convoy"},
                                     {"version", versionText()},
                                     {"llvm_version", LLVM_VERSION_STRING},
                                     {"onnx_opset", driver::newestOpset()},
                                     {"runtime_interface_version", CONVOY_ABI_VERSION}});
  };
  auto printLine = [](llvm::raw_ostream &os) {
    os << "convoy " << versionText() << " (LLVM " << LLVM_VERSION_STRING << ", ONNX opset "
       << driver::newestOpset() << ")\n";
  };
  return printResult(json, printObject, printLine, console);
}

} // namespace convoy::tool
