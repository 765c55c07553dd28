# A page inside a library: npm fetches what the page's folder asks for when the build is configured, so that a network that is
# not there is known before anything is compiled. esbuild (the folder's build.mjs) makes single files of it, and the assembler
# embeds them as the symbols brim_<name>_<part>, brim_<name>_<part>_end.
find_program(NODE node)
find_program(NPM npm)
enable_language(ASM)

# brim_fetch_page(view DIR here): fetches what the page in DIR asks for, once per version of its lock file. Sets `here` to ON, or to
# OFF with a warning that says why; with BRIM_NEED_PAGES it is an error.
function(brim_fetch_page name source here)
  set(${here} ON PARENT_SCOPE)
  set(made ${PROJECT_BINARY_DIR}/${name}_page)
  file(SHA256 ${source}/package-lock.json wanted)
  if(EXISTS ${made}/npm.stamp)
    file(READ ${made}/npm.stamp fetched)
  endif()
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source}/package-lock.json)
  if("${fetched}" STREQUAL "${wanted}")
    return()
  endif()
  set(why "node and npm were not found (Debian's packages nodejs and npm; tools/setup installs them)")
  if(NODE AND NPM)
    message(STATUS "Fetching what the page of brim_${name} needs")
    file(MAKE_DIRECTORY ${made})
    file(COPY ${source}/package.json ${source}/package-lock.json DESTINATION ${made})
    # What npm's cache holds needs no network; one that does not answer is given up after some seconds.
    execute_process(
      COMMAND ${NPM} ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=20000
      WORKING_DIRECTORY ${made} TIMEOUT 180 RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE why)
    if(result EQUAL 0)
      file(WRITE ${made}/npm.stamp ${wanted})
      return()
    endif()
    set(why "npm could not fetch what it needs: ${why}")
  endif()
  set(kind WARNING)
  if(BRIM_NEED_PAGES)
    set(kind FATAL_ERROR)
  endif()
  message(${kind} "The page of brim_${name} cannot be made: ${why}\nThe command is built without it; configure again when npm can fetch.")
  set(${here} OFF PARENT_SCOPE)
endfunction()

# brim_page(view SOURCE dir MADE view.js view.css … EMBED js=file css=file …), after brim_fetch_page: sets
# view_page_sources, for the library that holds the page.
function(brim_page name)
  cmake_parse_arguments(PARSE_ARGV 1 page "" "SOURCE" "MADE;EMBED")
  set(source ${page_SOURCE})
  set(made ${PROJECT_BINARY_DIR}/${name}_page)
  file(GLOB sources CONFIGURE_DEPENDS ${source}/*.js ${source}/*.css ${source}/*.html)
  list(TRANSFORM page_MADE PREPEND ${made}/)
  add_custom_command(
    OUTPUT ${page_MADE}
    DEPENDS ${made}/npm.stamp ${source}/build.mjs ${sources}
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
