// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy compile`: a model to files. Reads and imports; what follows is not
// there yet.

#include "InputData.h"
#include "Progress.h"
#include "Verbs.h"

using namespace mlir;

namespace convoy::driver {

ExitCode compile(const CompileOptions &options, Console &console) {
  Session session;
  DiagnosticLog &log = session.log();
  Progress progress(console, 2);
  progress.begin("read");
  llvm::Expected<import::Model> model = import::readModel(options.model.path);
  if (!model) {
    log.add(model.takeError());
  }
  import::ImportOptions importOptions;
  if (!log.hasErrors()) {
    importOptions = readModelFlags(options.model, *model, log);
  }
  if (!log.hasErrors()) {
    progress.begin("import");
    OwningOpRef<ModuleOp> module = session.import(*model, importOptions);
    if (module) {
      log.addError("not supported: compile to '" + options.output +
                   "' has no code generator yet; `convoy run --target reference` runs the model");
    }
  }
  progress.end();
  log.print(console.err);
  return log.failureCode(console.err);
}

} // namespace convoy::driver
