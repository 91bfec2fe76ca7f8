# The CMake package of libnereid:
#
#     find_package(nereid REQUIRED)
#     target_link_libraries(program PRIVATE nereid::nereid)   # or nereid::static, which needs no libnereid.so
#     target_link_libraries(program PRIVATE nereid::run)      # or nereid::run_static: bundles, without the compiler
#
# Paths are relative to this file (PREFIX/lib/cmake/nereid), so an installed tree may be moved.
get_filename_component(_nereid_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_package(Threads REQUIRED)

function(_nereid_target name kind file)
  if(TARGET nereid::${name} OR NOT EXISTS "${_nereid_prefix}/lib/${file}")
    return()
  endif()
  add_library(nereid::${name} ${kind} IMPORTED)
  set_target_properties(nereid::${name} PROPERTIES
    IMPORTED_LOCATION "${_nereid_prefix}/lib/${file}"
    INTERFACE_INCLUDE_DIRECTORIES "${_nereid_prefix}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS}"
    INTERFACE_COMPILE_FEATURES "cxx_std_17")
endfunction()

_nereid_target(nereid SHARED libnereid.so)
_nereid_target(static STATIC libnereid.a)
_nereid_target(run SHARED libnereid_run.so)
_nereid_target(run_static STATIC libnereid_run.a)
foreach(_nereid_name run run_static)
  if(TARGET nereid::${_nereid_name})
    set_property(TARGET nereid::${_nereid_name} PROPERTY INTERFACE_COMPILE_DEFINITIONS NEREID_RUN)
  endif()
endforeach()
if(NOT TARGET nereid::nereid)
  set(nereid_FOUND FALSE)
  set(nereid_NOT_FOUND_MESSAGE "there is no libnereid.so in ${_nereid_prefix}/lib")
endif()
