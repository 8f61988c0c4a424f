# Has systemd read the unit, or what the program MAKE_UNIT prints, with the server's path replaced by SERVER, and fails
# on anything it says.
if(MAKE_UNIT)
  execute_process(COMMAND ${MAKE_UNIT} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
else()
  file(READ ${UNIT} text)
endif()
string(REGEX REPLACE "/usr/(local/)?bin/slipstream_server" "${SERVER}" text "${text}")
file(MAKE_DIRECTORY ${FOLDER})
file(WRITE ${FOLDER}/slipstream.service "${text}")
execute_process(COMMAND ${ANALYZE} verify --man=no ${FOLDER}/slipstream.service
  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed OR NOT said STREQUAL "")
  message(FATAL_ERROR "${said}")
endif()
