# SPDX-License-Identifier: Apache-2.0
#
# A room is one folder of the daemon and one static library.  Dependencies are PRIVATE: a room that
# uses another without naming it here does not link.  tests/tidy_test.py checks the includes.

add_library(l4lb_flags INTERFACE)
target_include_directories(l4lb_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(l4lb_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers
                       -fno-omit-frame-pointer)
if(L4LB_WERROR)
  target_compile_options(l4lb_flags INTERFACE -Werror)
endif()
if(L4LB_SANITIZE)
  target_compile_options(l4lb_flags INTERFACE -fsanitize=${L4LB_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(l4lb_flags INTERFACE -fsanitize=${L4LB_SANITIZE})
endif()

# l4lb_room(NAME SOURCES a.cc b.cc DEPENDS other rooms and libraries)
function(l4lb_room name)
  cmake_parse_arguments(room "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(l4lb_${name} STATIC ${room_SOURCES})
  target_link_libraries(l4lb_${name} PRIVATE l4lb_flags ${room_DEPENDS})
endfunction()

# l4lb_test(NAME SOURCES x_test.cc DEPENDS rooms LABELS quick|timed|long)
# One gtest binary, one ctest entry.
function(l4lb_test name)
  cmake_parse_arguments(test "" "LABELS" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE l4lb_flags ${test_DEPENDS} GTest::gtest GTest::gtest_main)
  if(NOT test_LABELS)
    set(test_LABELS quick)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${test_LABELS} TIMEOUT 120)
endfunction()
