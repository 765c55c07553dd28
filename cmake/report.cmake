# The library behind compare, sweep and study, and its page: npm fetches ECharts, esbuild makes two scripts of it and
# src/report/page, and the assembler puts them into the library.
find_program(NODE node)
find_program(NPM npm)
if(NOT NODE OR NOT NPM)
  message(FATAL_ERROR "The report page is made with node and npm, which were not found. Install Debian's packages nodejs and npm "
                      "(tools/setup does), or configure with -DBRIM_REPORT=OFF to leave brim compare, sweep and study out.")
endif()
find_path(DUKTAPE_INCLUDE duktape.h)
find_library(DUKTAPE duktape)
if(NOT DUKTAPE_INCLUDE OR NOT DUKTAPE)
  message(FATAL_ERROR "The report's SVG files are drawn with Duktape, which was not found. Install Debian's package duktape-dev "
                      "(tools/setup does), or configure with -DBRIM_REPORT=OFF to leave brim compare, sweep and study out.")
endif()
enable_language(ASM)

set(page ${PROJECT_SOURCE_DIR}/src/report/page)
set(made ${PROJECT_BINARY_DIR}/report_page)
file(GLOB scripts CONFIGURE_DEPENDS ${page}/*.js)
# npm runs again only when what it reads has changed; what its cache holds needs no network.
add_custom_command(
  OUTPUT ${made}/npm.stamp
  DEPENDS ${page}/package.json ${page}/package-lock.json
  COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
  COMMAND ${CMAKE_COMMAND} -E copy ${page}/package.json ${page}/package-lock.json ${made}
  COMMAND ${CMAKE_COMMAND} -E chdir ${made} ${NPM} ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${made}/npm.stamp
  COMMENT "Fetching the report's plot library"
  VERBATIM)
add_custom_command(
  OUTPUT ${made}/charts.js ${made}/page.js
  DEPENDS ${made}/npm.stamp ${page}/build.mjs ${scripts}
  COMMAND ${CMAKE_COMMAND} -E copy ${page}/build.mjs ${made}
  COMMAND ${CMAKE_COMMAND} -E chdir ${made} ${NODE} build.mjs ${page} ${made}
  COMMENT "Bundling the report's scripts"
  VERBATIM)

set(embedded "    .section .rodata\n")
foreach(pair html=${page}/page.html css=${page}/page.css charts=${made}/charts.js page=${made}/page.js)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 file)
  string(APPEND embedded "    .global brim_page_${name}, brim_page_${name}_end\nbrim_page_${name}:\n    .incbin \"${file}\"\n"
                         "brim_page_${name}_end:\n")
  list(APPEND embedded_files ${file})
endforeach()
file(CONFIGURE OUTPUT generated/report_page.S CONTENT "${embedded}    .section .note.GNU-stack,\"\",@progbits\n" @ONLY)
set_source_files_properties(${PROJECT_BINARY_DIR}/generated/report_page.S PROPERTIES OBJECT_DEPENDS "${embedded_files}")

add_library(brim_report STATIC ${report} ${PROJECT_BINARY_DIR}/generated/report_page.S ${made}/charts.js ${made}/page.js)
target_include_directories(brim_report PRIVATE ${DUKTAPE_INCLUDE})
target_link_libraries(brim_report PRIVATE brim_lib brim_flags PkgConfig::tomlplusplus nlohmann_json::nlohmann_json ${DUKTAPE} m)
