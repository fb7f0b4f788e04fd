// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags of the verbs that print facts: explain, inspect, ops, targets.

#include "BuildArguments.h"

namespace convoy::tool {

void addExplain(CommandLine &line) {
  auto o = std::make_shared<ExplainFlags>();
  CLI::App &verb = line.addVerb("explain",
                                "Print the template and predicted time of each kernel, or where a "
                                "device runs each node, with reasons.",
                                [o](Console &console) { return explain(*o, console); });
  BuildForm form;
  form.target = "Print the kernels of this CPU or the placement on this device; `convoy targets` "
                "lists the targets (default: host).";
  addBuildFlags(line, verb, o->build, form);
  line.everyday(verb).flag("--verbose", o->isVerbose,
                           "Print also the configuration and the layouts of each kernel of a CPU "
                           "(default: off).");
  line.addResultFlags(verb, o->json);
}

void addInspect(CommandLine &line) {
  auto o = std::make_shared<InspectFlags>();
  CLI::App &verb = line.addVerb(
      "inspect", "Print the contents of a model, a compiled library or an NVDLA loadable.",
      [o](Console &console) { return inspect(*o, console); });
  addModel(line, verb, o->model);
  Flags flags = line.everyday(verb);
  flags.text("--config", o->config, "NAME",
             "Estimate the cycles of a loadable on this NVDLA configuration: nv_small, nv_large, "
             "nv_full or another (default: none).");
  flags.text("--report", o->report, "FILE",
             "Draw the dependences between the layers of a loadable as SVG (default: none).");
  flags.alias("--svg", o->report);
  flags.alias("-o,--output", o->report);
  line.addResultFlags(verb, o->json);
}

void addOps(CommandLine &line) {
  auto o = std::make_shared<OpsFlags>();
  CLI::App &verb = line.addVerb("ops", "List the supported ONNX ops.",
                                [o](Console &console) { return listOps(*o, console); });
  line.everyday(verb).flag("--markdown", o->isMarkdown,
                           "Print the list as a page of the documentation (default: off).");
  line.addResultFlags(verb, o->json);
}

void addTargets(CommandLine &line) {
  auto o = std::make_shared<TargetsFlags>();
  CLI::App &verb = line.addVerb("targets", "List the targets, or describe one target.",
                                [o](Console &console) { return listTargets(*o, console); });
  line.everyday(verb).positional("name", o->name, "[NAME]",
                                 "Describe this target: the CPU, caches and C compiler of a "
                                 "machine, or the ops of a device (default: list all targets).",
                                 /*isRequired=*/false);
  line.everyday(verb).flag("--markdown", o->isMarkdown,
                           "Print the ops that each device supports as a page of the "
                           "documentation (default: off).");
  line.addResultFlags(verb, o->json);
}

} // namespace convoy::tool
