# A flavour: the same sources compiled with their own namespace, number type and instruction set.
#
# The objects of a flavour are linked into one, and all its symbols but its `flavour()` are made local. Without that the
# linker would keep one copy of every std:: and tbb:: template for all flavours, and the copy with AVX2 instructions would
# run on a CPU that has none.
set(BRIM_FLAVOUR_OBJECTS "")
set(BRIM_FLAVOUR_LIST "")

function(brim_flavour namespace name)
  set(target brim_${namespace})
  add_library(${target} OBJECT ${flavoured})
  target_compile_options(${target} PRIVATE -fno-gnu-unique ${ARGN})
  target_compile_definitions(${target} PRIVATE BRIM_FLAVOUR=${namespace} BRIM_FLAVOUR_NAME="${name}")
  target_link_libraries(${target} PRIVATE brim_flags)
  if(BRIM_SANITIZE)  # sanitizers keep global tables of their own, which must not be made local
    set(objects $<TARGET_OBJECTS:${target}>)
  else()
    set(objects ${CMAKE_CURRENT_BINARY_DIR}/${target}.o)
    string(LENGTH ${namespace} length)
    add_custom_command(
      OUTPUT ${objects}
      COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${objects} $<TARGET_OBJECTS:${target}>
      COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=_ZN4brim${length}${namespace}7flavourEv ${objects}
      DEPENDS ${target} $<TARGET_OBJECTS:${target}>
      COMMAND_EXPAND_LISTS VERBATIM COMMENT "One object of flavour ${name}")
    set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  endif()
  set(BRIM_FLAVOUR_OBJECTS ${BRIM_FLAVOUR_OBJECTS} ${objects} PARENT_SCOPE)
  set(BRIM_FLAVOUR_LIST "${BRIM_FLAVOUR_LIST} f(${namespace})" PARENT_SCOPE)
endfunction()
