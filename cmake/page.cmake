# A page inside a library: npm fetches what the page's folder asks for, esbuild (its build.mjs) makes single files of it, and the
# assembler embeds them as the symbols brim_<name>_<part>, brim_<name>_<part>_end.
find_program(NODE node)
find_program(NPM npm)
enable_language(ASM)

# brim_page(view SOURCE dir READS other files … MADE view.js view.css … EMBED js=file css=file … WITHOUT "what to configure to do
# without it"):
# sets view_page_sources, for the library that holds the page.
function(brim_page name)
  cmake_parse_arguments(PARSE_ARGV 1 page "" "SOURCE;WITHOUT" "MADE;EMBED;READS")
  if(NOT NODE OR NOT NPM)
    message(FATAL_ERROR "The page of brim_${name} is made with node and npm, which were not found. Install Debian's packages nodejs "
                        "and npm (tools/setup does), or configure with ${page_WITHOUT}.")
  endif()
  set(source ${page_SOURCE})
  set(made ${PROJECT_BINARY_DIR}/${name}_page)
  file(GLOB sources CONFIGURE_DEPENDS ${source}/*.js ${source}/*.css ${source}/*.html)
  # npm runs again only when what it reads has changed; what its cache holds needs no network.
  add_custom_command(
    OUTPUT ${made}/npm.stamp
    DEPENDS ${source}/package.json ${source}/package-lock.json
    COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
    COMMAND ${CMAKE_COMMAND} -E copy ${source}/package.json ${source}/package-lock.json ${made}
    COMMAND ${CMAKE_COMMAND} -E chdir ${made} ${NPM} ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${made}/npm.stamp
    COMMENT "Fetching what the page of brim_${name} needs"
    VERBATIM)
  list(TRANSFORM page_MADE PREPEND ${made}/)
  add_custom_command(
    OUTPUT ${page_MADE}
    DEPENDS ${made}/npm.stamp ${source}/build.mjs ${sources} ${page_READS}
    COMMAND ${CMAKE_COMMAND} -E copy ${source}/build.mjs ${made}
    COMMAND ${CMAKE_COMMAND} -E chdir ${made} ${NODE} build.mjs ${source} ${made}
    COMMENT "Bundling the page of brim_${name}"
    VERBATIM)

  set(embedded "    .section .rodata\n")
  foreach(pair ${page_EMBED})
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 part)
    list(GET pair 1 file)
    if(NOT IS_ABSOLUTE ${file})
      set(file ${made}/${file})
    endif()
    set(symbol brim_${name}_${part})
    string(APPEND embedded "    .global ${symbol}, ${symbol}_end\n${symbol}:\n    .incbin \"${file}\"\n${symbol}_end:\n")
    list(APPEND files ${file})
  endforeach()
  set(unit ${PROJECT_BINARY_DIR}/generated/${name}_page.S)
  file(CONFIGURE OUTPUT ${unit} CONTENT "${embedded}    .section .note.GNU-stack,\"\",@progbits\n" @ONLY)
  set_source_files_properties(${unit} PROPERTIES OBJECT_DEPENDS "${files}")
  set(${name}_page_sources ${unit} ${page_MADE} PARENT_SCOPE)
endfunction()
