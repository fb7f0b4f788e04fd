# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles models as part of a CMake build.

# convoy_compile_model(target MODEL file.onnx [EMIT library|c] [ARGS flag...])
#
# Compiles the model during the build if the file has changed. `target` is the name of a
# library to link and the prefix of the model's C interface. Programs that link it find its
# header <target>.h. ARGS are flags of `convoy compile`: --target, --input-shape, --dim ...
#
# EMIT library (default): a shared library that Convoy compiles.
# EMIT c: a static library of emitted C, which the C compiler of the project compiles with the
# flags of the project. Use it for microcontrollers and other machines with a toolchain file.
#
#   convoy_compile_model(resnet MODEL resnet50-v1.onnx ARGS --dim batch=1)
#   target_link_libraries(app PRIVATE resnet)         # includes resnet.h
#
#   convoy_compile_model(digits MODEL digits.onnx EMIT c ARGS --target=cortex-m4)
#   target_link_libraries(firmware PRIVATE digits)    # includes digits.h
function(convoy_compile_model target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODEL;EMIT" "ARGS")
  if(NOT ARG_EMIT)
    set(ARG_EMIT library)
  endif()
  if(NOT ARG_MODEL OR ARG_UNPARSED_ARGUMENTS OR NOT ARG_EMIT MATCHES "^(library|c)$")
    message(FATAL_ERROR "convoy_compile_model(${target}): expects MODEL file.onnx [EMIT library|c] [ARGS flag...], "
                        "got '${ARGN}'")
  endif()
  string(MAKE_C_IDENTIFIER ${target} identifier)
  if(NOT identifier STREQUAL target)
    message(FATAL_ERROR "convoy_compile_model(${target}): the target is the prefix of C functions; use letters, "
                        "digits and '_', for example '${identifier}'")
  endif()
  get_filename_component(model ${ARG_MODEL} ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.convoy)
  file(MAKE_DIRECTORY ${folder}) # CMake requires that include folders exist
  set(compile ${CONVOY_EXECUTABLE} compile ${model} --emit=${ARG_EMIT} --name ${target} -o ${folder} ${ARG_ARGS})
  if(ARG_EMIT STREQUAL "c")
    _convoy_add_source(${target})
  else()
    _convoy_add_library(${target})
  endif()
endfunction()

# Adds the shared library. Reads the variables of convoy_compile_model.
function(_convoy_add_library target)
  add_custom_command(
    OUTPUT ${folder}/${target}.so ${folder}/${target}.h
    COMMAND ${compile}
    DEPENDS ${model} ${CONVOY_EXECUTABLE}
    COMMENT "Compiling model ${target}"
    VERBATIM)
  add_custom_target(${target}_files DEPENDS ${folder}/${target}.so ${folder}/${target}.h)
  add_library(${target} SHARED IMPORTED GLOBAL)
  add_dependencies(${target} ${target}_files)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION ${folder}/${target}.so
    IMPORTED_SONAME ${target}.so
    INTERFACE_INCLUDE_DIRECTORIES ${folder})
endfunction()

# Adds the static library of C source. Reads the variables of convoy_compile_model. Convoy writes
# <target>_weights.S for large weights only; the file is empty for other models, because CMake needs
# a fixed list of sources. The C compiler preprocesses and assembles it.
function(_convoy_add_source target)
  set(weights ${folder}/${target}_weights.S)
  add_custom_command(
    OUTPUT ${folder}/${target}.c ${folder}/${target}.h ${weights}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${weights}
    COMMAND ${compile}
    COMMAND ${CMAKE_COMMAND} -E touch ${weights}
    DEPENDS ${model} ${CONVOY_EXECUTABLE}
    COMMENT "Compiling model ${target} to C"
    VERBATIM)
  add_library(${target} STATIC ${folder}/${target}.c ${folder}/${target}.h ${weights})
  set_source_files_properties(${weights} PROPERTIES
    LANGUAGE C COMPILE_OPTIONS "-x;assembler-with-cpp;-I${folder}" OBJECT_DEPENDS ${folder}/${target}.c)
  target_include_directories(${target} PUBLIC ${folder})
endfunction()
