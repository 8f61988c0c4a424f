# core is one shared library, which on x86-64 is built twice: for any such machine, and below that in
# glibc-hwcaps/x86-64-v3/ for those with AVX2 and FMA. The dynamic loader prefers the second one where the
# machine can run it; no line of code chooses. Both have one name, and a program has one of them, never both.
#
# What makes that safe:
# - Eigen's alignment is the same everywhere (slipstream_eigen), for it is part of its types' layout.
# - Only what is in namespace slipstream is exported (exported_symbols.map), and the library calls its own
#   functions (-Bsymbolic-functions). So Eigen's, Abseil's and the standard library's inline functions never
#   run in another build's place. Data stay shared, as addresses of objects and types must agree.
# - No header of core may have a type whose layout depends on the instruction set: std::aligned_storage or
#   __attribute__((aligned)) without a number, vector types.
# - Abseil is a shared library itself: its hash seed is an address, and hash maps cross core's border.

include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

option(SLIPSTREAM_X86_64_V3 "Build core for x86-64-v3 as well, where the compiler can" ON)
# Compilers for other processors refuse the flag. One that was told to use AVX2 anyway has nothing to gain.
check_cxx_compiler_flag(-march=x86-64-v3 SLIPSTREAM_COMPILER_HAS_X86_64_V3)
check_cxx_source_compiles("#ifndef __AVX2__\n#error\n#endif\nint main() {}" SLIPSTREAM_BASELINE_HAS_AVX2)
set(SLIPSTREAM_TWO_BUILDS OFF)
if(SLIPSTREAM_X86_64_V3 AND SLIPSTREAM_COMPILER_HAS_X86_64_V3 AND NOT SLIPSTREAM_BASELINE_HAS_AVX2
   AND NOT SLIPSTREAM_SANITIZE)
  set(SLIPSTREAM_TWO_BUILDS ON)
endif()

get_target_property(absl_hash_type absl::hash TYPE)
if(absl_hash_type STREQUAL STATIC_LIBRARY)
  message(FATAL_ERROR "Abseil is a static library, so core and its users would each have a copy with a hash "
                      "seed of its own, and could not exchange hash maps. Build with a shared Abseil.")
endif()

set(SLIPSTREAM_LIBRARY_DIR ${PROJECT_BINARY_DIR}/lib)
set(SLIPSTREAM_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR}/slipstream)
set(SLIPSTREAM_X86_64_V3_SUBDIR glibc-hwcaps/x86-64-v3)
set(SLIPSTREAM_EXPORTED_SYMBOLS ${CMAKE_CURRENT_LIST_DIR}/exported_symbols.map)
file(RELATIVE_PATH SLIPSTREAM_INSTALL_RPATH
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/slipstream)
string(PREPEND SLIPSTREAM_INSTALL_RPATH "$ORIGIN/")
if(NOT SLIPSTREAM_TWO_BUILDS)
  # The loader would go on taking what an earlier build left there.
  file(REMOVE_RECURSE ${SLIPSTREAM_LIBRARY_DIR}/glibc-hwcaps)
endif()

# Eigen, for core, its tests and whoever includes core's headers; never Eigen3::Eigen itself. Eigen derives
# its alignment from the instruction set, and a matrix that one build allocates, another one frees. Both
# macros are needed, and 32 is the only value that fits: Eigen raises a smaller EIGEN_MAX_ALIGN_BYTES to what
# AVX likes, and takes a larger one as no more than a bound for objects of fixed size.
# Nor does it ask the processor for the sizes of its caches, from which it derives the order of sums: equal
# seeds give equal suggestions on all processors of an instruction set.
add_library(slipstream_eigen INTERFACE)
target_link_libraries(slipstream_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(slipstream_eigen INTERFACE
  EIGEN_MAX_ALIGN_BYTES=32 EIGEN_MAX_STATIC_ALIGN_BYTES=32 EIGEN_NO_CPUID)

# slipstream_core_library(name SOURCES file... [PUBLIC target...] [PRIVATE target...] [NUMERIC] [IN library])
# A folder of core, with every edge to another declared; whoever links to it gets its headers and the shared
# library that it is part of, slipstream_core unless told. NUMERIC ones are compiled for each instruction set:
# those that use Eigen, and others whose loops gain.
function(slipstream_core_library name)
  cmake_parse_arguments(ARG "NUMERIC" "IN" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(NOT DEFINED ARG_IN)
    set(ARG_IN slipstream_core)
  endif()
  add_library(${name} INTERFACE)
  target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR})
  # Parts of the same library see each other's headers only.
  set(is_part $<STREQUAL:$<TARGET_PROPERTY:SLIPSTREAM_PART_OF>,${ARG_IN}>)
  target_link_libraries(${name} INTERFACE ${ARG_PUBLIC} $<$<NOT:${is_part}>:${ARG_IN}>)

  set(builds ${name}_objects)
  if(ARG_NUMERIC AND SLIPSTREAM_TWO_BUILDS)
    list(APPEND builds ${name}_objects_x86_64_v3)
  endif()
  slipstream_join(sources ${name} -1 ${ARG_SOURCES})
  foreach(objects IN LISTS builds)
    add_library(${objects} OBJECT ${sources})
    set_target_properties(${objects} PROPERTIES SLIPSTREAM_PART_OF ${ARG_IN})
    # The library calls its own functions (see above), so the compiler may inline them.
    target_compile_options(${objects} PRIVATE ${SLIPSTREAM_WARNINGS} -fno-semantic-interposition)
    target_link_libraries(${objects} PRIVATE ${name} ${ARG_PRIVATE})
  endforeach()
  if(TARGET ${name}_objects_x86_64_v3)
    target_compile_options(${name}_objects_x86_64_v3 PRIVATE -march=x86-64-v3)
  endif()
  set_property(GLOBAL APPEND PROPERTY SLIPSTREAM_PARTS_OF_${ARG_IN} ${name})
endfunction()

# slipstream_core_shared_library(name)
# The shared library of all parts that were declared to be IN it, in each build. Building it builds both.
function(slipstream_core_shared_library name)
  get_property(parts GLOBAL PROPERTY SLIPSTREAM_PARTS_OF_${name})
  add_library(${name} SHARED)
  set(builds ${name})
  if(SLIPSTREAM_TWO_BUILDS)
    add_library(${name}_x86_64_v3 SHARED)
    add_dependencies(${name} ${name}_x86_64_v3)
    list(APPEND builds ${name}_x86_64_v3)
  endif()
  foreach(build IN LISTS builds)
    set_target_properties(${build} PROPERTIES
      OUTPUT_NAME ${name}
      LIBRARY_OUTPUT_DIRECTORY ${SLIPSTREAM_LIBRARY_DIR}
      LINK_DEPENDS ${SLIPSTREAM_EXPORTED_SYMBOLS}
      SLIPSTREAM_PART_OF ${name})
    target_link_options(${build} PRIVATE
      LINKER:--version-script=${SLIPSTREAM_EXPORTED_SYMBOLS} LINKER:-Bsymbolic-functions)
    # Clang links the sanitizers into programs only.
    if(NOT SLIPSTREAM_FUZZ)
      target_link_options(${build} PRIVATE LINKER:-z,defs)
    endif()
    foreach(part IN LISTS parts)
      set(objects ${part}_objects)
      if(build STREQUAL ${name}_x86_64_v3 AND TARGET ${objects}_x86_64_v3)
        set(objects ${objects}_x86_64_v3)
      endif()
      target_link_libraries(${build} PRIVATE ${objects})
    endforeach()
  endforeach()
  if(SLIPSTREAM_TWO_BUILDS)
    set_target_properties(${name}_x86_64_v3 PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY ${SLIPSTREAM_LIBRARY_DIR}/${SLIPSTREAM_X86_64_V3_SUBDIR})
  endif()
endfunction()

# slipstream_install_core_shared_library(name)
# Installs both builds into a folder of our own, which SLIPSTREAM_INSTALL_RPATH reaches from the programs.
function(slipstream_install_core_shared_library name)
  install(TARGETS ${name} LIBRARY DESTINATION ${SLIPSTREAM_INSTALL_LIBDIR} COMPONENT runtime)
  if(SLIPSTREAM_TWO_BUILDS)
    install(TARGETS ${name}_x86_64_v3
      LIBRARY DESTINATION ${SLIPSTREAM_INSTALL_LIBDIR}/${SLIPSTREAM_X86_64_V3_SUBDIR} COMPONENT runtime)
  else()
    # As above: what an earlier installation left would be taken.
    set(stale "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${SLIPSTREAM_INSTALL_LIBDIR}/glibc-hwcaps")
    install(CODE "file(REMOVE_RECURSE \"${stale}\")" COMPONENT runtime)
  endif()
endfunction()
