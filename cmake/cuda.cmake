# The flavour cuda32: the same sources compiled by nvcc, but X/cuda/F.cpp instead of X/F.cpp where
# there is one. It needs no instructions beyond the plainest CPU's, so its objects are linked as they are.
find_program(CMAKE_CUDA_COMPILER nvcc PATHS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "CUDA not checked: nvcc was not found in PATH, CUDA_HOME or /usr/local/cuda. "
    "Install the CUDA toolkit (tested with 13.0), or say where it is: cmake --preset cuda -DCMAKE_CUDA_COMPILER=/path/to/nvcc")
endif()
# One GPU by default, as the check compiles it. "every" is for programs that others run: machine code for each generation, and PTX that
# the driver compiles for later ones.
set(BRIM_CUDA_ARCHITECTURES 90 CACHE STRING "compute capabilities that the GPU's flavour is compiled for, as CMake writes them, or \"every\"")
if(BRIM_CUDA_ARCHITECTURES STREQUAL every)
  set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
else()
  set(CMAKE_CUDA_ARCHITECTURES ${BRIM_CUDA_ARCHITECTURES})
endif()
if(CCACHE)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${BRIM_CCACHE})
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

list(TRANSFORM cuda_sources REPLACE "/cuda/([^/]+)$" "/\\1" OUTPUT_VARIABLE twinned)
list(TRANSFORM twinned REPLACE "_cuda\\.cpp$" ".cpp")  # until all twins stand in cuda/
set(cuda_compiled ${flavoured})
list(REMOVE_ITEM cuda_compiled ${twinned})

# The sources of the flavour and of its tests are compiled with the same flags.
add_library(brim_cuda_flags INTERFACE)
target_compile_definitions(brim_cuda_flags INTERFACE BRIM_CUDA=1 BRIM_FLAVOUR=cuda32 BRIM_FLAVOUR_NAME="cuda32" ${checked}
  FMT_USE_CONSTEXPR=1)  # fmt 9 takes nvcc's constexpr for that of C++11 and then trips over its own
target_include_directories(brim_cuda_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(brim_cuda_flags INTERFACE TBB::tbb fmt::fmt)
# Roots and divisions to a unit in the last place or two, as the hardware gives them: the exact ones cost a third of a PBF step.
target_compile_options(brim_cuda_flags INTERFACE -std=c++20 --extended-lambda -prec-div=false -prec-sqrt=false -ftz=true -Xcompiler=-Wall,-Wextra
  $<$<BOOL:${BRIM_WERROR}>:-Werror=all-warnings>)

# A source has one language in a directory, and C++ is taken by the CPU flavours: nvcc gets a .cu file that includes it.
function(brim_cuda_units result)
  set(units "")
  foreach(path ${ARGN})
    string(REGEX REPLACE "cpp$" "cu" unit ${PROJECT_BINARY_DIR}/generated/cuda/${path})
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${path}\"\n")
    list(APPEND units ${unit})
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()

list(APPEND cuda_compiled ${cuda_sources})
list(TRANSFORM cuda_compiled REPLACE "^src/" "")
brim_cuda_units(units ${cuda_compiled})
add_library(brim_cuda32 OBJECT ${units})
target_link_libraries(brim_cuda32 PRIVATE brim_cuda_flags)
# CMake 3.25 knows no flag for C++20 with nvcc 13: the standard it takes over from C++ must not be required; it is among the flags.
set_target_properties(brim_cuda32 PROPERTIES CXX_STANDARD_REQUIRED OFF CUDA_STANDARD_REQUIRED OFF)
list(APPEND BRIM_FLAVOUR_OBJECTS $<TARGET_OBJECTS:brim_cuda32>)
string(APPEND BRIM_FLAVOUR_LIST " f(cuda32)")
