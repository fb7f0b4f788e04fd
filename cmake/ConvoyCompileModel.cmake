# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles models as part of a CMake build.

# convoy_compile_model(target MODEL file.onnx [ARGS flag...])
#
# Compiles the model during the build if the file has changed. `target` is the name of a
# shared library to link and the prefix of the model's C interface. Programs that link
# it find its header <target>.h. ARGS are flags of `convoy compile`: --target,
# --input-shape, --dim ...
#
#   convoy_compile_model(resnet MODEL resnet50-v1.onnx ARGS --dim batch=1)
#   target_link_libraries(app PRIVATE resnet)         # includes resnet.h
function(convoy_compile_model target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODEL" "ARGS")
  if(NOT ARG_MODEL OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "convoy_compile_model(${target}): expects MODEL file.onnx [ARGS flag...], "
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
  add_custom_command(
    OUTPUT ${folder}/${target}.so ${folder}/${target}.h
    COMMAND ${CONVOY_EXECUTABLE} compile ${model} --name ${target} -o ${folder} ${ARG_ARGS}
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
