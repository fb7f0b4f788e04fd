// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the structs of ApiFields.h to messages of tuning.proto and back. A struct and its
// message have the same fields in the same order; proto_fields_test.cpp checks it.

#pragma once

#include "service/api/ApiFields.h"
#include <google/protobuf/message.h>

namespace convoy::service {

/// Copies one struct to or from one message.
class ProtoFields {
public:
  using Message = google::protobuf::Message;
  using Descriptor = google::protobuf::FieldDescriptor;

  template <typename Object>
  static void write(const Object &object, Message &message) {
    int index = 0;
    forEachField<Object>([&](const char *, auto member) {
      Place place{message, message.GetDescriptor()->field(index++)};
      set(place, object.*member);
    });
  }

  template <typename Object>
  static void read(const Message &message, Object &object) {
    int index = 0;
    forEachField<Object>([&](const char *, auto member) {
      const Descriptor *field = message.GetDescriptor()->field(index++);
      // A field with another default than zero is optional and keeps the default of the struct.
      if (!field->has_presence() || message.GetReflection()->HasField(message, field)) {
        get(message, field, object.*member);
      }
    });
  }

private:
  struct Place {
    Message &message;
    const Descriptor *field;
    const google::protobuf::Reflection *operator->() const { return message.GetReflection(); }
  };

  static void set(Place at, const std::string &value) {
    at->SetString(&at.message, at.field, value);
  }
  static void set(Place at, int value) { at->SetInt32(&at.message, at.field, value); }
  static void set(Place at, int64_t value) { at->SetInt64(&at.message, at.field, value); }
  static void set(Place at, uint64_t value) { at->SetUInt64(&at.message, at.field, value); }
  static void set(Place at, double value) { at->SetDouble(&at.message, at.field, value); }
  static void set(Place at, bool value) { at->SetBool(&at.message, at.field, value); }
  static void set(Place at, JobState value) {
    at->SetEnumValue(&at.message, at.field, toNumber(value));
  }
  static void set(Place at, DeviceState value) {
    at->SetEnumValue(&at.message, at.field, toNumber(value));
  }
  static void set(Place at, const std::vector<JobState> &values) {
    for (JobState value : values) {
      at->AddEnumValue(&at.message, at.field, toNumber(value));
    }
  }
  template <typename Item>
  static void set(Place at, const std::vector<Item> &values) {
    for (const Item &value : values) {
      write(value, *at->AddMessage(&at.message, at.field));
    }
  }
  template <typename Object>
  static void set(Place at, const Object &object) {
    write(object, *at->MutableMessage(&at.message, at.field));
  }

  static void get(const Message &from, const Descriptor *field, std::string &value) {
    value = from.GetReflection()->GetString(from, field);
  }
  static void get(const Message &from, const Descriptor *field, int &value) {
    value = from.GetReflection()->GetInt32(from, field);
  }
  static void get(const Message &from, const Descriptor *field, int64_t &value) {
    value = from.GetReflection()->GetInt64(from, field);
  }
  static void get(const Message &from, const Descriptor *field, uint64_t &value) {
    value = from.GetReflection()->GetUInt64(from, field);
  }
  static void get(const Message &from, const Descriptor *field, double &value) {
    value = from.GetReflection()->GetDouble(from, field);
  }
  static void get(const Message &from, const Descriptor *field, bool &value) {
    value = from.GetReflection()->GetBool(from, field);
  }
  static void get(const Message &from, const Descriptor *field, JobState &value) {
    value = toState<JobState>(from.GetReflection()->GetEnumValue(from, field), JobState::Failed);
  }
  static void get(const Message &from, const Descriptor *field, DeviceState &value) {
    value =
        toState<DeviceState>(from.GetReflection()->GetEnumValue(from, field), DeviceState::Lost);
  }
  static void get(const Message &from, const Descriptor *field, std::vector<JobState> &values) {
    for (int i = 0; i < from.GetReflection()->FieldSize(from, field); ++i) {
      values.push_back(toState<JobState>(from.GetReflection()->GetRepeatedEnumValue(from, field, i),
                                         JobState::Failed));
    }
  }
  template <typename Item>
  static void get(const Message &from, const Descriptor *field, std::vector<Item> &values) {
    for (int i = 0; i < from.GetReflection()->FieldSize(from, field); ++i) {
      read(from.GetReflection()->GetRepeatedMessage(from, field, i), values.emplace_back());
    }
  }
  template <typename Object>
  static void get(const Message &from, const Descriptor *field, Object &object) {
    read(from.GetReflection()->GetMessage(from, field), object);
  }

  /// The enums of the messages have an unknown state in front.
  template <typename State>
  static int toNumber(State state) {
    return static_cast<int>(state) + 1;
  }
  /// Returns the state of a number. The unknown state keeps the default, the first state.
  template <typename State>
  static State toState(int number, State last) {
    int index = std::min(std::max(number - 1, 0), static_cast<int>(last));
    return static_cast<State>(index);
  }
};

} // namespace convoy::service
