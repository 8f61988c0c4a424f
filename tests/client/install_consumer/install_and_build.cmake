# Installs from ${build} to a fresh prefix below ${work}; then configures,
# builds and runs ${consumer} with nothing but that prefix, and builds the trainer
# that ${readme} shows.
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
run(${CMAKE_COMMAND} -S ${consumer} -B ${work}/build -G ${generator} ${flags}
    -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${work}/prefix
    -DREADME_TRAINER=${work}/readme_trainer.cc)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
