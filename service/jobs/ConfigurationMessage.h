// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a configuration to its message of the API and back.

#pragma once

#include "service/api/TuningApi.h"
#include "tuning/space/Configuration.h"

namespace convoy::service {

inline Configuration messageOf(const tuning::Configuration &configuration) {
  Configuration message;
  message.set_template_id(configuration.templateId);
  message.set_template_version(configuration.templateVersion);
  message.set_text(configuration.text);
  message.set_input_layout(configuration.inputLayout);
  message.set_output_layout(configuration.outputLayout);
  return message;
}

inline tuning::Configuration configurationOf(const Configuration &message) {
  return {message.template_id(), static_cast<int>(message.template_version()), message.text(),
          message.input_layout(), message.output_layout()};
}

} // namespace convoy::service
