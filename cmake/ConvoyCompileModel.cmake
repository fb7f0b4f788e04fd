# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles models as part of a CMake build.

# convoy_compile_model(target MODEL file.onnx [EMIT library|c] [CUSTOM_OPS file.json...] [ARGS flag...])
#
# Compiles the model during the build if the file has changed. `target` is the name of a
# library to link and the prefix of the model's C interface. Programs that link it find its
# header <target>.h. ARGS are flags of `convoy compile`: --target, --input-shape, --dim ...
# CUSTOM_OPS are declarations of custom ops. The build compiles the model again if one of them or
# one of their C files changes; with EMIT c, the library contains the C files.
#
# EMIT library: a shared library that Convoy compiles. The default, unless --target in ARGS is a
# microcontroller, for which Convoy compiles no libraries.
# EMIT c: a static library of emitted C, which the C compiler of the project compiles with the
# flags of the project. Use it for microcontrollers and other machines with a toolchain file.
#
#   convoy_compile_model(resnet MODEL resnet50-v1.onnx ARGS --dim batch=1)
#   target_link_libraries(app PRIVATE resnet)         # includes resnet.h
#
#   convoy_compile_model(digits MODEL digits.onnx ARGS --target=cortex-m4)
#   target_link_libraries(firmware PRIVATE digits)    # includes digits.h
function(convoy_compile_model target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODEL;EMIT" "CUSTOM_OPS;ARGS")
  if(NOT ARG_EMIT)
    _convoy_default_output(${target} ${ARG_ARGS})
  endif()
  if(NOT ARG_MODEL OR ARG_UNPARSED_ARGUMENTS OR NOT ARG_EMIT MATCHES "^(library|c)$")
    message(FATAL_ERROR "convoy_compile_model(${target}): expects MODEL file.onnx [EMIT library|c] "
                        "[CUSTOM_OPS file.json...] [ARGS flag...], "
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
  set(custom_sources)
  set(inputs ${model} ${CONVOY_EXECUTABLE})
  foreach(file IN LISTS ARG_CUSTOM_OPS)
    get_filename_component(file ${file} ABSOLUTE)
    _convoy_read_custom_ops(${file})
    list(APPEND ARG_ARGS --custom-ops ${file})
    list(APPEND inputs ${file})
  endforeach()
  list(REMOVE_DUPLICATES custom_sources)
  list(APPEND inputs ${custom_sources})
  set(compile ${CONVOY_EXECUTABLE} compile ${model} --emit=${ARG_EMIT} --name ${target} -o ${folder} ${ARG_ARGS})
  if(ARG_EMIT STREQUAL "c")
    _convoy_add_source(${target})
  else()
    _convoy_add_library(${target})
  endif()
endfunction()

# Sets ARG_EMIT to the output that `convoy compile` writes for the target in the flags.
function(_convoy_default_output target)
  set(ARG_EMIT library PARENT_SCOPE)
  list(JOIN ARGN ";" flags)
  if(NOT ";${flags};" MATCHES ";--target[=;]([^;]+);")
    return()
  endif()
  execute_process(COMMAND ${CONVOY_EXECUTABLE} targets ${CMAKE_MATCH_1} --json WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE problem OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT code EQUAL 0)
    string(STRIP "${problem}" problem)
    message(FATAL_ERROR "convoy_compile_model(${target}): ${problem}")
  endif()
  string(JSON output ERROR_VARIABLE problem GET "${text}" output)
  if(output STREQUAL "c")
    set(ARG_EMIT c PARENT_SCOPE)
  endif()
endfunction()

# Adds the C files of a declaration to custom_sources. Their paths are relative to the declaration.
function(_convoy_read_custom_ops file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(folder ${file} DIRECTORY)
  file(READ ${file} text)
  string(JSON count ERROR_VARIABLE problem LENGTH "${text}" ops)
  if(problem)
    message(FATAL_ERROR "convoy_compile_model: ${file} is no declaration of custom ops: ${problem}")
  endif()
  set(index 0)
  while(index LESS count)
    string(JSON source ERROR_VARIABLE problem GET "${text}" ops ${index} source)
    if(problem)
      message(FATAL_ERROR "convoy_compile_model: ${file} declares an op without source: ${problem}")
    endif()
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
    list(APPEND custom_sources ${source})
    math(EXPR index "${index} + 1")
  endwhile()
  set(custom_sources ${custom_sources} PARENT_SCOPE)
endfunction()

# Adds the shared library. Reads the variables of convoy_compile_model.
function(_convoy_add_library target)
  add_custom_command(
    OUTPUT ${folder}/${target}.so ${folder}/${target}.h
    COMMAND ${compile}
    DEPENDS ${inputs}
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
# <target>_weights.S for large weights only, and copies of the C files of custom ops that the model
# has; the other files are empty, because CMake needs a fixed list of sources. The C compiler
# preprocesses and assembles <target>_weights.S.
function(_convoy_add_source target)
  set(weights ${folder}/${target}_weights.S)
  set(optional ${weights})
  foreach(source IN LISTS custom_sources)
    get_filename_component(name ${source} NAME)
    get_filename_component(own ${source} DIRECTORY)
    set(copy ${folder}/${target}_custom_${name})
    list(APPEND optional ${copy})
    # The file may include headers beside it. Convoy compiles it without contraction, too.
    set_source_files_properties(${copy} PROPERTIES
      INCLUDE_DIRECTORIES ${own} COMPILE_OPTIONS $<$<C_COMPILER_ID:GNU,Clang,AppleClang>:-ffp-contract=off>)
  endforeach()
  add_custom_command(
    OUTPUT ${folder}/${target}.c ${folder}/${target}.h ${optional}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${optional}
    COMMAND ${compile}
    COMMAND ${CMAKE_COMMAND} -E touch ${optional}
    DEPENDS ${inputs}
    COMMENT "Compiling model ${target} to C"
    VERBATIM)
  add_library(${target} STATIC ${folder}/${target}.c ${folder}/${target}.h ${optional})
  set_source_files_properties(${weights} PROPERTIES
    LANGUAGE C COMPILE_OPTIONS "-x;assembler-with-cpp;-I${folder}" OBJECT_DEPENDS ${folder}/${target}.c)
  target_include_directories(${target} PUBLIC ${folder})
endfunction()
