# What Debian packages have besides what is installed elsewhere; tools/deb makes them with CPack.
find_program(GZIP gzip REQUIRED)
set(deb ${PROJECT_BINARY_DIR}/generated/deb)
set(packaging ${PROJECT_SOURCE_DIR}/packaging)

# Debian wants the manual and the changes compressed, without times in them; and a change log in its own form.
string(TIMESTAMP built "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${packaging}/changelog.in ${deb}/changelog @ONLY)
configure_file(${packaging}/brim.1.in ${deb}/brim.1 @ONLY)
execute_process(COMMAND ${GZIP} -9nf ${deb}/changelog ${deb}/brim.1 COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${deb}/brim.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
foreach(package brim=command libbrim-dev=library)
  string(REPLACE "=" ";" package ${package})
  list(GET package 0 name)
  list(GET package 1 component)
  install(FILES ${packaging}/copyright ${deb}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Brim contributors <brim@example.org>")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command library)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME brim)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "ffmpeg, xdg-utils")
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "simulation of liquids that keep their volume
Brim simulates incompressible liquids with rigid bodies, cloth and soft
bodies, in 2D and 3D, by several methods: Position Based Fluids,
Projective Fluids, Constraint Fluids, FLIP and APIC with density
projection, and smoothed particle hydrodynamics.
.
The command runs scene files, shows them in the browser as they run,
compares methods, and makes pictures, films and meshes. This package
holds the command and its scenes.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libbrim-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
    "libfmt-dev, libhdf5-dev, libimath-dev, libmuparser-dev, libpng-dev, libtbb-dev (>= 2021), libtomlplusplus-dev, libopenvdb-dev, zlib1g-dev, pkgconf | pkg-config")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "simulation of liquids that keep their volume - library
Brim simulates incompressible liquids with rigid bodies, cloth and soft
bodies, in 2D and 3D, by several methods.
.
This package holds the static library, its headers, and what CMake needs
to find them: find_package(brim), brim::brim.")
include(CPack)
