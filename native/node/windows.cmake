# Links the addon with the functions that Node's program exports on Windows: Node-API and libuv.
#
# Windows resolves a function by the name of the program, so the linker needs a library that says which functions node.exe has.
# It is made of the lists of node-api-headers and of the functions of libuv that libuv.h declares.
file(READ ${CMAKE_SOURCE_DIR}/native/node/libuv.h libuv)
# Those of alarm.cc are for Linux.
string(REGEX REPLACE "#ifdef __linux__.*#endif" "" libuv "${libuv}")
string(REGEX MATCHALL "uv_[a-z_]+\\(" uv_functions "${libuv}")
list(TRANSFORM uv_functions REPLACE "\\($" "")

set(node_functions)
foreach(name js_native_api node_api)
  file(STRINGS ${CMAKE_SOURCE_DIR}/node_modules/node-api-headers/def/${name}.def lines REGEX "^napi_")
  list(APPEND node_functions ${lines})
endforeach()

list(JOIN node_functions "\n" node_functions)
list(JOIN uv_functions "\n" uv_functions)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/node.def CONTENT "NAME NODE.EXE\nEXPORTS\n${node_functions}\n${uv_functions}\n")

add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/libnode.a
  COMMAND ${CMAKE_DLLTOOL} -d node.def -D node.exe -l libnode.a -k
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  DEPENDS ${CMAKE_BINARY_DIR}/node.def
  VERBATIM)
add_custom_target(node_library DEPENDS ${CMAKE_BINARY_DIR}/libnode.a)
add_dependencies(timeout_wheel node_library)
target_link_libraries(timeout_wheel PRIVATE ${CMAKE_BINARY_DIR}/libnode.a)
# Two builds give the same bytes: no time stamp, and the base address that the linker gives to libraries by default. GCC asks it for
# an address made of the path of the file.
target_link_options(timeout_wheel PRIVATE -static-libgcc -Wl,--no-insert-timestamp -Wl,--image-base,0x180000000)
