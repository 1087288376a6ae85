# SPDX-License-Identifier: Apache-2.0
#
# A library that is of use without the daemon: installed with its headers and a CMake package.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# l4lb_library(NAME SOURCES a.cc HEADERS a.h DEPENDS targets of abseil)
# NAME::NAME, here and for those who find_package(NAME).  HEADERS: what others may include.
function(l4lb_library name)
  cmake_parse_arguments(library "" "" "SOURCES;HEADERS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${library_SOURCES})
  add_library(${name}::${name} ALIAS ${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC ${library_DEPENDS} PRIVATE $<BUILD_INTERFACE:l4lb_flags>)

  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/${name})
  set(config ${CMAKE_CURRENT_BINARY_DIR}/${name}-config.cmake)
  file(CONFIGURE OUTPUT ${config} @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(absl)
include(${CMAKE_CURRENT_LIST_DIR}/@name@-targets.cmake)
]])
  write_basic_package_version_file(${config}.version COMPATIBILITY SameMinorVersion)
  install(TARGETS ${name} EXPORT ${name} COMPONENT ${name} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${library_HEADERS} COMPONENT ${name}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${name})
  install(EXPORT ${name} NAMESPACE ${name}:: FILE ${name}-targets.cmake COMPONENT ${name}
          DESTINATION ${package})
  install(FILES ${config} COMPONENT ${name} DESTINATION ${package})
  install(FILES ${config}.version COMPONENT ${name} DESTINATION ${package}
          RENAME ${name}-config-version.cmake)
endfunction()

# l4lb_installed_example(NAME): ctest installs the library, builds the program in its folder
# example/ against what was installed, and runs it.
function(l4lb_installed_example name)
  add_test(NAME ${name}_example
           COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DBUILD=${PROJECT_BINARY_DIR}
                   -DSOURCE=${PROJECT_SOURCE_DIR}/${name}/example
                   -DCOMPILER=${CMAKE_CXX_COMPILER} -DLIBDIR=${CMAKE_INSTALL_LIBDIR}
                   -P ${PROJECT_SOURCE_DIR}/cmake/installed_example.cmake)
  l4lb_test_properties(${name}_example quick "" FALSE)
endfunction()
