# SPDX-License-Identifier: Apache-2.0
#
# A room is one folder of the daemon and one static library.  Dependencies are PRIVATE: a room that
# uses another without naming it here does not link.  tests/tidy_test.py checks the includes, and
# that DEPENDS says the same.

add_library(l4lb_flags INTERFACE)
target_include_directories(l4lb_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(l4lb_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers
                       -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms over std::string concatenation (GCC bug 105651).
  target_compile_options(l4lb_flags INTERFACE -Wno-restrict)
endif()
if(L4LB_WERROR)
  target_compile_options(l4lb_flags INTERFACE -Werror)
endif()
if(L4LB_SANITIZE)
  target_compile_options(l4lb_flags INTERFACE -fsanitize=${L4LB_SANITIZE} -fno-sanitize-recover=all)
  if(L4LB_SANITIZE MATCHES "address")  # ASan finds the same; they take a fifth of the build.
    target_compile_options(l4lb_flags INTERFACE -fno-sanitize=null,object-size,vptr)
  endif()
  target_link_options(l4lb_flags INTERFACE -fsanitize=${L4LB_SANITIZE})
endif()

# l4lb_room(NAME SOURCES a.cc b.cc DEPENDS other rooms and libraries)
function(l4lb_room name)
  cmake_parse_arguments(room "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(l4lb_${name} STATIC ${room_SOURCES})
  target_link_libraries(l4lb_${name} PRIVATE l4lb_flags ${room_DEPENDS})
endfunction()
