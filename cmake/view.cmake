# The library behind brim view and its page, which is three.js and apps/view.
find_path(BEAST_INCLUDE boost/beast.hpp)
if(NOT BEAST_INCLUDE)
  message(FATAL_ERROR "The viewer's server is made with Boost.Beast, which was not found. Install Debian's package libboost-dev "
                      "(tools/setup does), or configure with -DBRIM_VIEW=OFF to leave brim view out.")
endif()
find_package(Threads REQUIRED)

brim_page(view
  SOURCE ${PROJECT_SOURCE_DIR}/apps/view
  MADE view.html view.js view.css
  EMBED html=view.html js=view.js css=view.css)
add_library(brim_view STATIC ${view} ${view_page_sources})
target_include_directories(brim_view SYSTEM PRIVATE ${BEAST_INCLUDE})
target_link_libraries(brim_view PRIVATE brim_lib brim_flags nlohmann_json::nlohmann_json Threads::Threads)
