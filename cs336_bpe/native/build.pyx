"""How the compiled modules were built: setup.py hands the command to this module's compiler.

All modules are built with the same command, so what this one knows is true of every one.
"""

# distutils: language = c++

cdef extern from *:
    """
    #if defined(__VERSION__)
      #if defined(__clang__)
        #define BUILD_COMPILER "clang " __clang_version__
      #else
        #define BUILD_COMPILER "gcc " __VERSION__
      #endif
    #elif defined(_MSC_VER)
      #define BUILD_TEXT(x) #x
      #define BUILD_NUMBER(x) BUILD_TEXT(x)
      #define BUILD_COMPILER "msvc " BUILD_NUMBER(_MSC_VER)
    #else
      #define BUILD_COMPILER "unknown compiler"
    #endif
    #ifndef BUILD_FLAGS  /* somebody compiled this file without setup.py */
      #define BUILD_FLAGS "unknown flags"
    #endif
    """
    const char* BUILD_COMPILER
    const char* BUILD_FLAGS


COMPILER = BUILD_COMPILER.decode()
"""The compiler and its version, as it says itself."""

FLAGS = BUILD_FLAGS.decode()
"""The flags of the compile command, in order; later ones win. Include folders are left out."""
