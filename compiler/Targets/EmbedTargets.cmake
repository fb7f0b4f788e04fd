# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DOUTPUT=file.inc -DINPUTS="a.json;b.json" -P EmbedTargets.cmake
# Writes one initializer {name, text} per file, for a table of string literals.
set(text "")
foreach(input ${INPUTS})
  get_filename_component(name ${input} NAME)
  file(READ ${input} json)
  string(APPEND text "{\"${name}\", R\"json(${json})json\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
