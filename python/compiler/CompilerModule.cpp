// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension module convoy._compiler. The Python files of the package call it.

#include "Metadata.h"
#include "Program.h"
#include "QuantizeVerb.h"
#include "Search.h"
#include "StaticShapes.h"
#include "Verbs.h"
#include "convoy/version.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace convoy::python;

static void defineRequest(py::module_ &module) {
  py::class_<BuildRequest>(module, "Request", "A model and how to compile it.")
      .def(py::init<const std::string &, const py::object &, const std::string &>(),
           py::arg("path"), py::arg("data"), py::arg("name"))
      .def("set", &BuildRequest::set, py::arg("values"), py::arg("samples"), py::arg("constants"))
      .def_property_readonly("kinds", &BuildRequest::kinds);
  module.def("signature", &BuildRequest::signature);
  module.def("metadata", &metadata);
  module.def("is_static", &isStatic);
}

static void defineProgram(py::module_ &module) {
  py::class_<Program>(module, "Program", "A model in memory.")
      .def("table", &Program::table)
      .def("run", &Program::run)
      .def_property_readonly("name", [](const Program &self) { return self.report().model; })
      .def_property_readonly("target", [](const Program &self) { return self.report().target; })
      .def_property_readonly("hash", [](const Program &self) { return self.report().hash; })
      .def_property_readonly("summary", &Program::summaryJson)
      .def_property_readonly("warnings", &Program::warnings)
      .def_property_readonly("needed", &Program::needed)
      .def_property_readonly("inputs", &Program::inputs)
      .def_property_readonly("outputs", &Program::outputs);
  module.def("compile", &compile);
  module.def("write", &writeFiles);
  module.def("schedule_page", &schedulePage);
}

static void defineSearch(py::module_ &module) {
  py::class_<Search>(module, "Search", "A search for faster kernels.")
      .def(py::init([](const BuildRequest &request, const std::string &records,
                       const std::string &program, const py::dict &values) {
        convoy::tuning::NetworkSearch search;
#include "python/compiler/SearchValues.inc"
        return std::make_unique<Search>(request, records, program, search);
      }))
      .def("next", &Search::next)
      .def("result", &Search::result)
      .def("cancel", &Search::cancel);
}

static void defineQuantization(py::module_ &module) {
  py::class_<Quantization>(module, "Quantization", "A quantized model.")
      .def_property_readonly("model", &Quantization::model)
      .def_property_readonly("plan", &Quantization::plan)
      .def_property_readonly("json", &Quantization::json)
      .def_property_readonly("warnings", &Quantization::warnings)
      .def("page", &Quantization::page)
      .def("save", &Quantization::save);
  module.def("quantize", &quantize);
}

PYBIND11_MODULE(_compiler, module) {
  module.doc() = "The compiler, for the Python files of the package convoy.";
  module.attr("__version__") = convoy::versionText();
  waitAtExit();
  defineRequest(module);
  defineProgram(module);
  defineSearch(module);
  defineQuantization(module);
  module.def("check", &check);
  module.def("explain", &explain);
  module.def("inspect", &inspect);
  module.def("bench", &bench);
  module.def("run_data", &runData);
  module.def("sweep", &sweep);
  module.def("list_records", &listRecords);
  module.def("merge_records", &mergeRecords);
  module.def("import_records", &importRecords);
  module.def("export_records", &exportRecords);
  module.def("prune_records", &pruneRecords);
  module.def("draw_records", &drawRecords);
  module.def("write_trace", &writeTrace);
  module.def("trace", &trace);
}
