# SPDX-License-Identifier: Apache-2.0
# cmake -DNAME= -DBUILD= -DSOURCE= -DCOMPILER= -DLIBDIR= -P this: see l4lb_installed_example.

set(work ${BUILD}/${NAME}_example)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --component ${NAME} --prefix ${work}/installed)
file(GLOB_RECURSE exported ${work}/installed/${LIBDIR}/cmake/*.cmake)
foreach(file ${exported})
  file(READ ${file} text)
  if(text MATCHES "l4lb_flags" OR text MATCHES "${BUILD}")
    message(FATAL_ERROR "${file} names what only this build has:\n${text}")
  endif()
endforeach()
# No other copy of the headers may be found: the example is built away from the sources.
file(COPY ${SOURCE}/ DESTINATION ${work}/source)
run(${CMAKE_COMMAND} -G Ninja -S ${work}/source -B ${work}/build -DCMAKE_BUILD_TYPE=Debug
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${work}/installed)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/${NAME}_example)
