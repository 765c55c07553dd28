# The library behind brim view and its page: npm fetches three.js, esbuild makes one script of it and apps/view, and the
# assembler puts them into the library.
find_program(NODE node)
find_program(NPM npm)
if(NOT NODE OR NOT NPM)
  message(FATAL_ERROR "The viewer's page is made with node and npm, which were not found. Install Debian's packages nodejs and npm "
                      "(tools/setup does), or configure with -DBRIM_VIEW=OFF to leave brim view out.")
endif()
find_path(BEAST_INCLUDE boost/beast.hpp)
if(NOT BEAST_INCLUDE)
  message(FATAL_ERROR "The viewer's server is made with Boost.Beast, which was not found. Install Debian's package libboost-dev "
                      "(tools/setup does), or configure with -DBRIM_VIEW=OFF to leave brim view out.")
endif()
find_package(Threads REQUIRED)
enable_language(ASM)

set(page ${PROJECT_SOURCE_DIR}/apps/view)
set(made ${PROJECT_BINARY_DIR}/view_page)
file(GLOB page_sources CONFIGURE_DEPENDS ${page}/*.js ${page}/*.css ${page}/*.html)
# npm runs again only when what it reads has changed; what its cache holds needs no network.
add_custom_command(
  OUTPUT ${made}/npm.stamp
  DEPENDS ${page}/package.json ${page}/package-lock.json
  COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
  COMMAND ${CMAKE_COMMAND} -E copy ${page}/package.json ${page}/package-lock.json ${made}
  COMMAND ${CMAKE_COMMAND} -E chdir ${made} ${NPM} ci --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${made}/npm.stamp
  COMMENT "Fetching the viewer's graphics library"
  VERBATIM)
add_custom_command(
  OUTPUT ${made}/view.html ${made}/view.js ${made}/view.css
  DEPENDS ${made}/npm.stamp ${page}/build.mjs ${page_sources}
  COMMAND ${CMAKE_COMMAND} -E copy ${page}/build.mjs ${made}
  COMMAND ${CMAKE_COMMAND} -E chdir ${made} ${NODE} build.mjs ${page} ${made}
  COMMENT "Bundling the viewer's page"
  VERBATIM)

set(embedded "    .section .rodata\n")
foreach(pair html=${made}/view.html js=${made}/view.js css=${made}/view.css)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 file)
  string(APPEND embedded "    .global brim_view_${name}, brim_view_${name}_end\nbrim_view_${name}:\n    .incbin \"${file}\"\n"
                         "brim_view_${name}_end:\n")
  list(APPEND view_files ${file})
endforeach()
file(CONFIGURE OUTPUT generated/view_page.S CONTENT "${embedded}    .section .note.GNU-stack,\"\",@progbits\n" @ONLY)
set_source_files_properties(${PROJECT_BINARY_DIR}/generated/view_page.S PROPERTIES OBJECT_DEPENDS "${view_files}")

add_library(brim_view STATIC ${view} ${PROJECT_BINARY_DIR}/generated/view_page.S ${view_files})
target_include_directories(brim_view SYSTEM PRIVATE ${BEAST_INCLUDE})
target_link_libraries(brim_view PRIVATE brim_lib brim_flags nlohmann_json::nlohmann_json Threads::Threads)
