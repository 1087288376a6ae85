# SPDX-License-Identifier: Apache-2.0
#
# How tests are declared.  Labels: quick (at most 3 s, run in parallel), timed (alone on the
# machine), long (minutes, not in CI); and tsan beside one of them: also under ThreadSanitizer.

# What every test finds in its environment.
set(L4LB_TEST_ENVIRONMENT "L4LB_BIN=${CMAKE_BINARY_DIR}/bin/l4lb"
    "L4LB_BIN_DIR=${CMAKE_BINARY_DIR}/bin" "L4LB_BUILD_DIR=${CMAKE_BINARY_DIR}"
    "PYTHONDONTWRITEBYTECODE=1")
set(L4LB_TEST_TIMEOUT 120)
set(L4LB_TEST_LAUNCHER)
if(L4LB_SANITIZE)
  set(L4LB_TEST_TIMEOUT 300)
  set(L4LB_TEST_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/without_aslr.sh)
endif()
if(L4LB_SANITIZE MATCHES "address")
  string(CONCAT asan_options "ASAN_OPTIONS=halt_on_error=1:detect_stack_use_after_return=1:"
         "strict_string_checks=1:check_initialization_order=1:detect_leaks=1")
  list(APPEND L4LB_TEST_ENVIRONMENT "${asan_options}"
       "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1" "L4LB_SANITIZED=address")
elseif(L4LB_SANITIZE MATCHES "thread")
  string(CONCAT tsan_options "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:history_size=4:"
         "suppressions=${CMAKE_CURRENT_LIST_DIR}/tsan.supp")
  list(APPEND L4LB_TEST_ENVIRONMENT "L4LB_SANITIZED=thread" "${tsan_options}")
endif()

# With L4LB_QUICK_COMPILE tests are not optimized, and share one precompiled header: half the time
# for builds that exist to run each test once.  dev has neither, so that a missing include shows.
if(L4LB_QUICK_COMPILE)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_pch.cc CONTENT "")
  add_library(l4lb_test_pch OBJECT ${CMAKE_BINARY_DIR}/test_pch.cc)
  target_link_libraries(l4lb_test_pch PRIVATE l4lb_flags GTest::gtest)
  target_compile_options(l4lb_test_pch PRIVATE -O0)
  target_precompile_headers(l4lb_test_pch PRIVATE <gtest/gtest.h> <gmock/gmock.h>
                            <absl/status/statusor.h>)
endif()

# Builds what the tests labelled tsan need, and no more.
add_custom_target(tsan_tests)

# What l4lb_test and l4lb_pytest share: labels (default quick), environment, time limit, order.
function(l4lb_test_properties name labels timeout serial)
  if(NOT labels)
    set(labels quick)
  endif()
  if(NOT timeout)
    set(timeout ${L4LB_TEST_TIMEOUT})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout}
                       ENVIRONMENT "${L4LB_TEST_ENVIRONMENT}" RUN_SERIAL ${serial})
endfunction()

# l4lb_test(NAME SOURCES x_test.cc DEPENDS rooms LABELS quick|timed|long [tsan] [TIMEOUT s] [SERIAL])
# One gtest binary, one ctest entry.
function(l4lb_test name)
  cmake_parse_arguments(test "SERIAL" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE l4lb_flags ${test_DEPENDS} GTest::gtest GTest::gtest_main)
  if(L4LB_QUICK_COMPILE)
    target_compile_options(${name} PRIVATE -O0)
    target_precompile_headers(${name} REUSE_FROM l4lb_test_pch)
  endif()
  add_test(NAME ${name} COMMAND ${L4LB_TEST_LAUNCHER} $<TARGET_FILE:${name}>)
  l4lb_test_properties(${name} "${test_LABELS}" "${test_TIMEOUT}" "${test_SERIAL}")
  if("tsan" IN_LIST test_LABELS)
    add_dependencies(tsan_tests ${name})
  endif()
endfunction()

# l4lb_pytest(NAME FILE x_test.py LABELS quick|timed|long [tsan] [TIMEOUT s] [SERIAL] [ENV A=b ...])
# One pytest file (or file::test), one ctest entry.  Its environment has L4LB_BIN (the daemon),
# L4LB_BIN_DIR (all programs), L4LB_BUILD_DIR and, under a sanitizer, L4LB_SANITIZED.
# SERIAL keeps every other test off the machine meanwhile.
function(l4lb_pytest name)
  cmake_parse_arguments(test "SERIAL" "FILE;TIMEOUT" "LABELS;ENV" ${ARGN})
  cmake_path(ABSOLUTE_PATH test_FILE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME ${name} COMMAND ${L4LB_TEST_LAUNCHER} /usr/bin/python3 -m pytest -q
           -p no:cacheprovider ${test_FILE})
  l4lb_test_properties(${name} "${test_LABELS}" "${test_TIMEOUT}" "${test_SERIAL}")
  if(test_ENV)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${test_ENV})
  endif()
  if("tsan" IN_LIST test_LABELS)
    add_dependencies(tsan_tests l4lb)
  endif()
endfunction()

# header_check: one translation unit for every header that has no .cc of its own name, so that it
# is known to compile alone.  (x.cc includes x.h first: that proves the others.)
function(l4lb_header_check)
  list(TRANSFORM ARGN APPEND "/*.h" OUTPUT_VARIABLE patterns)
  list(TRANSFORM patterns PREPEND ${PROJECT_SOURCE_DIR}/)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${patterns})
  set(units)
  foreach(header ${headers})
    string(REGEX REPLACE "\\.h$" ".cc" source ${header})
    if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${source})
      set(unit ${CMAKE_BINARY_DIR}/header_check/${header}.cc)
      file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${header}\"\n")
      list(APPEND units ${unit})
    endif()
  endforeach()
  add_library(header_check OBJECT ${units})
  target_link_libraries(header_check PRIVATE l4lb_flags)
endfunction()

# l4lb_fuzzer(NAME SOURCES x_fuzz.cc DEPENDS rooms)
# Only with L4LB_FUZZ: a libFuzzer program, which ctest runs for a minute (label long).
function(l4lb_fuzzer name)
  cmake_parse_arguments(fuzz "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${fuzz_SOURCES})
  target_link_libraries(${name} PRIVATE l4lb_flags ${fuzz_DEPENDS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_test(NAME ${name} COMMAND ${L4LB_TEST_LAUNCHER} $<TARGET_FILE:${name}> -max_total_time=60
           -timeout=5 -print_final_stats=1)
  l4lb_test_properties(${name} long 120 FALSE)
endfunction()
