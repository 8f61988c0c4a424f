# Installs from ${build} to a fresh prefix below ${work}; then configures,
# builds and runs ${consumer}, the trainer that ${readme} shows and the example
# ${example} with nothing but that prefix, the latter two on ${server}.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work}/prefix ${work}/build)
set(flags)
if(sanitize)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${sanitize})
endif()
file(READ ${readme} text)
if(NOT text MATCHES "\n```cpp\n([^`]+)\n```\n")
  message(FATAL_ERROR "no C++ in ${readme}")
endif()
file(WRITE ${work}/readme_trainer.cc "${CMAKE_MATCH_1}\n")
run(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix --component development)
if(NOT EXISTS ${work}/prefix/share/slipstream/proto/slipstream/v1/services.proto)
  message(FATAL_ERROR "the protocol was not installed")
endif()
file(GLOB headers RELATIVE ${work}/prefix/include ${work}/prefix/include/slipstream/*.h)
list(LENGTH headers count)
if(count LESS 8)
  message(FATAL_ERROR "only ${count} public headers were installed")
endif()
list(TRANSFORM headers REPLACE ".+" "#include <\\0>\n")
string(JOIN "" text ${headers})
file(WRITE ${work}/public_headers.cc "${text}")
execute_process(COMMAND ${compiler} -std=c++20 -M -I ${work}/prefix/include ${work}/public_headers.cc
  OUTPUT_VARIABLE reached COMMAND_ERROR_IS_FATAL ANY)
if(NOT reached MATCHES "absl/status/statusor.h" OR reached MATCHES "[^ ]*(google/protobuf|/grpc|[.]pb[.]h)[^ ]*")
  message(FATAL_ERROR "the public headers reach '${CMAKE_MATCH_0}'")
endif()

run(${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -G ${generator} ${flags}
    -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${work}/prefix
    -DREADME_TRAINER=${work}/readme_trainer.cc -DEXAMPLE=${example})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${python} -B ${CMAKE_CURRENT_LIST_DIR}/run_on_server.py ${server} ${work}/build/trainer ${work}/build/example)
