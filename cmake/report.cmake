# The library behind compare, sweep and study, and its page, which is ECharts and src/report/page.
find_path(DUKTAPE_INCLUDE duktape.h)
find_library(DUKTAPE duktape)
if(NOT DUKTAPE_INCLUDE OR NOT DUKTAPE)
  message(FATAL_ERROR "The report's SVG files are drawn with Duktape, which was not found. Install Debian's package duktape-dev "
                      "(tools/setup does), or configure with -DBRIM_REPORT=OFF to leave brim compare, sweep and study out.")
endif()

set(page ${PROJECT_SOURCE_DIR}/src/report/page)
brim_page(report
  SOURCE ${page}
  MADE charts.js page.js
  EMBED html=${page}/page.html css=${page}/page.css charts=charts.js page=page.js)
add_library(brim_report STATIC ${report} ${report_page_sources})
target_include_directories(brim_report PRIVATE ${DUKTAPE_INCLUDE})
target_link_libraries(brim_report PRIVATE brim_lib brim_flags PkgConfig::tomlplusplus nlohmann_json::nlohmann_json ${DUKTAPE} m)
