# brim._core, the compiled part of the Python package, for Debian's python3 (or -DPython_EXECUTABLE=...). The whole package is then
# in build/python: PYTHONPATH=build/python python3
if(NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python COMPONENTS Interpreter Development.Module)
find_package(pybind11 CONFIG)
if(NOT Python_Development.Module_FOUND OR NOT pybind11_FOUND)
  message(FATAL_ERROR "The Python module is made with pybind11 and Python's headers, which were not found. Install Debian's packages "
                      "pybind11-dev and python3-dev (tools/setup python does), or leave -DBRIM_PYTHON=ON out.")
endif()

file(GLOB python_sources CONFIGURE_DEPENDS apps/python/*.cpp)
pybind11_add_module(brim_python NO_EXTRAS ${python_sources})
set(package ${PROJECT_BINARY_DIR}/python/brim)
# A wheel carries its libraries in lib/. Of an RPATH, unlike a RUNPATH, the libraries' own libraries are found too.
set_target_properties(brim_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${package} CXX_VISIBILITY_PRESET hidden
  BUILD_RPATH "$ORIGIN/lib" LINK_OPTIONS "-Wl,--disable-new-dtags")
target_link_libraries(brim_python PRIVATE brim_lib brim_options)
add_custom_command(TARGET brim_python POST_BUILD COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/make_stub.py ${package} VERBATIM)
file(GLOB_RECURSE python_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python python/brim/*.py python/brim/*.pyi python/brim/py.typed)
set(copies)
foreach(f ${python_files})
  set(copy ${PROJECT_BINARY_DIR}/python/${f})
  add_custom_command(OUTPUT ${copy} COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/python/${f} ${copy} DEPENDS python/${f} VERBATIM)
  list(APPEND copies ${copy})
endforeach()
add_custom_target(brim_python_files ALL DEPENDS ${copies})
add_dependencies(brim_python brim_python_files)
