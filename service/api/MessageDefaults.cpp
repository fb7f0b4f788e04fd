// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "service/api/MessageDefaults.h"
#include "tuning.pb.h"
#include <algorithm>
#include <google/protobuf/text_format.h>

namespace convoy::service {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// Returns the number of a state that this program knows. The enums number their states from 1.
int knownState(const FieldDescriptor *field, int number) {
  return std::clamp(number, 1, field->enum_type()->value_count() - 1);
}

void setItems(Message &message, const FieldDescriptor *field) {
  const Reflection *reflection = message.GetReflection();
  for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
    if (field->message_type()) {
      setDefaults(*reflection->MutableRepeatedMessage(&message, field, i));
    } else if (field->enum_type()) {
      int state = knownState(field, reflection->GetRepeatedEnumValue(message, field, i));
      reflection->SetRepeatedEnumValue(&message, field, i, state);
    }
  }
}

void setMissing(Message &message, const FieldDescriptor *field) {
  if (!field->options().HasExtension(tuning::v1::default_value)) {
    return;
  }
  const std::string &text = field->options().GetExtension(tuning::v1::default_value);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    message.GetReflection()->SetString(&message, field, text);
  } else {
    google::protobuf::TextFormat::ParseFieldValueFromString(text, field, &message);
  }
}

} // namespace

void setDefaults(Message &message) {
  const Reflection *reflection = message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor *field = message.GetDescriptor()->field(i);
    if (field->is_repeated()) {
      setItems(message, field);
    } else if (field->message_type()) {
      bool isOmitted = field->options().GetExtension(tuning::v1::is_omitted_if_unset) &&
                       !reflection->HasField(message, field);
      if (!isOmitted) {
        setDefaults(*reflection->MutableMessage(&message, field));
      }
    } else if (field->enum_type()) {
      int state = knownState(field, reflection->GetEnumValue(message, field));
      reflection->SetEnumValue(&message, field, state);
    } else if (field->has_presence() && !reflection->HasField(message, field)) {
      setMissing(message, field);
    }
  }
}

} // namespace convoy::service
