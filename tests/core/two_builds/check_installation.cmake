# Installs from ${build} below ${work}, moves the installation, and asks the loader which core the server has:
# one of the installation's, and the fast one where there are ${two_builds} and the machine can run it.
file(REMOVE_RECURSE ${work})
execute_process(
  COMMAND ${CMAKE_COMMAND} --install ${build} --prefix ${work}/before --component runtime
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${work}/before ${work}/after)

execute_process(
  COMMAND ${CMAKE_COMMAND} -E env LD_TRACE_LOADED_OBJECTS=1 ${work}/after/${bin}/slipstream_server
  OUTPUT_VARIABLE loaded COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "libslipstream_core\\.so => ([^ \n]*)" found "${loaded}")
if(NOT CMAKE_MATCH_1)
  message(FATAL_ERROR "The installed server does not find core:\n${loaded}")
endif()
file(REAL_PATH ${CMAKE_MATCH_1} core)
message(STATUS "The installed server has ${core}")

execute_process(
  COMMAND ${probe} OUTPUT_VARIABLE report COMMAND_ERROR_IS_FATAL ANY)
set(expected ${work}/after/${lib}/libslipstream_core.so)
if(two_builds AND report MATCHES "instruction_set x86-64-v3")
  set(expected ${work}/after/${lib}/glibc-hwcaps/x86-64-v3/libslipstream_core.so)
endif()
file(REAL_PATH ${expected} expected)
if(NOT core STREQUAL expected)
  message(FATAL_ERROR "It should have ${expected}")
endif()
