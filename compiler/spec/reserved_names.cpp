// Part of normc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spec/reserved_names.h"

#include <algorithm>
#include <iterator>

namespace normc {
namespace {

// Every table is sorted, which the compiler checks below.

/// Keywords of C11 or C++20, and what a program cannot use as the name of a function of its own.
constexpr std::string_view kWords[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t",
    "class", "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype",
    "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "main", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
    "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert",
    "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "union",
    "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
};

/// Functions of <math.h> and <complex.h>; with an f or an l at the end they are others.
constexpr std::string_view kMathFunctions[] = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cabs", "cacos", "cacosh", "carg", "casin", "casinh", "catan", "catanh", "cbrt", "ccos",
    "ccosh", "ceil", "cexp", "cimag", "clog", "conj", "copysign", "cos", "cosh", "cpow", "cproj", "creal", "csin", "csinh", "csqrt", "ctan", "ctanh", "erf",
    "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "gamma", "hypot", "ilogb", "j0", "j1", "jn",
    "ldexp", "lgamma", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "modf", "nan", "nearbyint", "nextafter",
    "nexttoward", "pow", "remainder", "remquo", "rint", "round", "scalb", "scalbln", "scalbn", "significand", "sin", "sincos", "sinh", "sqrt", "tan",
    "tanh", "tgamma", "trunc", "y0", "y1", "yn",
};

/// Other functions of the C library and of POSIX.
constexpr std::string_view kLibraryFunctions[] = {
    "abort", "abs", "accept", "access", "alarm", "aligned_alloc", "alloca", "asctime", "asprintf", "at_quick_exit", "atexit", "atof", "atoi", "atol",
    "atoll", "basename", "bcmp", "bcopy", "bind", "brk", "bsearch", "btowc", "bzero", "calloc", "chdir", "chmod", "chown", "clearenv", "clearerr", "clock",
    "close", "connect", "creat", "ctime", "daemon", "difftime", "dirname", "div", "dlclose", "dlerror", "dlopen", "dlsym", "dprintf", "dup", "dup2", "err",
    "errx", "execl", "execle", "execlp", "execv", "execve", "execvp", "exit", "fclose", "fcntl", "fdopen", "feclearexcept", "fegetenv", "fegetexceptflag",
    "fegetround", "feholdexcept", "feof", "feraiseexcept", "ferror", "fesetenv", "fesetexceptflag", "fesetround", "fetestexcept", "feupdateenv", "fflush",
    "ffs", "ffsl", "ffsll", "fgetc", "fgetpos", "fgets", "fgetwc", "fgetws", "fileno", "fopen", "fork", "fpclassify", "fprintf", "fputc", "fputs", "fputwc",
    "fputws", "fread", "free", "freopen", "fscanf", "fseek", "fseeko", "fsetpos", "fstat", "fsync", "ftell", "ftello", "ftruncate", "fwide", "fwprintf",
    "fwrite", "fwscanf", "getc", "getchar", "getcwd", "getdelim", "getenv", "getline", "getopt", "getpid", "getppid", "gets", "gettimeofday", "getuid",
    "getwc", "getwchar", "gmtime", "htonl", "htons", "imaxabs", "imaxdiv", "index", "ioctl", "isalnum", "isalpha", "isascii", "isatty", "isblank",
    "iscntrl", "isdigit", "isfinite", "isgraph", "isinf", "islower", "isnan", "isnormal", "isprint", "ispunct", "isspace", "isupper", "iswalnum",
    "iswalpha", "iswblank", "iswcntrl", "iswctype", "iswdigit", "iswgraph", "iswlower", "iswprint", "iswpunct", "iswspace", "iswupper", "iswxdigit",
    "isxdigit", "kill", "labs", "ldiv", "link", "listen", "llabs", "lldiv", "localeconv", "localtime", "longjmp", "lseek", "lstat", "malloc", "mblen",
    "mbrlen", "mbrtowc", "mbsinit", "mbsrtowcs", "mbstowcs", "mbtowc", "memalign", "memccpy", "memchr", "memcmp", "memcpy", "memmem", "memmove", "mempcpy",
    "memrchr", "memset", "mkdir", "mkstemp", "mktime", "mlock", "mmap", "mprotect", "mremap", "munlock", "munmap", "nanosleep", "ntohl", "ntohs", "open",
    "pause", "perror", "pipe", "poll", "posix_memalign", "pread", "printf", "pthread_create", "pthread_join", "putc", "putchar", "puts", "putwc",
    "putwchar", "pwrite", "qsort", "quick_exit", "raise", "rand", "random", "read", "readlink", "realloc", "reallocarray", "realpath", "recv", "remove",
    "rename", "rewind", "rindex", "rmdir", "sbrk", "scanf", "select", "send", "setbuf", "setenv", "setjmp", "setlocale", "setvbuf", "shutdown", "sigaction",
    "signal", "signbit", "sleep", "snprintf", "socket", "sprintf", "srand", "srandom", "sscanf", "stat", "stpcpy", "stpncpy", "strcasecmp", "strcat",
    "strchr", "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strftime", "strlen", "strncasecmp", "strncat", "strncmp", "strncpy",
    "strndup", "strnlen", "strpbrk", "strrchr", "strsep", "strsignal", "strspn", "strstr", "strtod", "strtof", "strtok", "strtol", "strtold", "strtoll",
    "strtoul", "strtoull", "strxfrm", "swprintf", "swscanf", "symlink", "sync", "syscall", "sysconf", "system", "time", "times", "tmpfile", "tmpnam",
    "toascii", "tolower", "toupper", "towctrans", "towlower", "towupper", "truncate", "uname", "ungetc", "ungetwc", "unlink", "unsetenv", "usleep", "utime",
    "valloc", "vasprintf", "vfprintf", "vfscanf", "vfwprintf", "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf", "vswprintf", "vwprintf", "wait",
    "waitpid", "warn", "warnx", "wcrtomb", "wcscat", "wcschr", "wcscmp", "wcscpy", "wcslen", "wcsncpy", "wcstombs", "wctob", "wctomb", "wmemcpy", "wmemset",
    "wprintf", "write",
};

/// Types, macros and objects of the standard headers, and macros that compilers predefine in their default modes.
constexpr std::string_view kTypesAndMacros[] = {
    "CHAR_BIT", "INT16_C", "INT16_MAX", "INT16_MIN", "INT32_C", "INT32_MAX", "INT32_MIN", "INT64_C", "INT64_MAX", "INT64_MIN", "INT8_C", "INT8_MAX",
    "INT8_MIN", "INTMAX_C", "INTMAX_MAX", "INTMAX_MIN", "INTPTR_MAX", "INTPTR_MIN", "NULL", "PTRDIFF_MAX", "PTRDIFF_MIN", "SIZE_MAX", "UINT16_C",
    "UINT16_MAX", "UINT32_C", "UINT32_MAX", "UINT64_C", "UINT64_MAX", "UINT8_C", "UINT8_MAX", "UINTMAX_C", "UINTMAX_MAX", "UINTPTR_MAX", "WCHAR_MAX",
    "WCHAR_MIN", "WINT_MAX", "WINT_MIN", "assert", "environ", "errno", "i386", "int16_t", "int32_t", "int64_t", "int8_t", "int_fast16_t", "int_fast32_t",
    "int_fast64_t", "int_fast8_t", "int_least16_t", "int_least32_t", "int_least64_t", "int_least8_t", "intmax_t", "intptr_t", "linux", "max_align_t",
    "offsetof", "ptrdiff_t", "size_t", "ssize_t", "std", "stderr", "stdin", "stdout", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uint_fast16_t",
    "uint_fast32_t", "uint_fast64_t", "uint_fast8_t", "uint_least16_t", "uint_least32_t", "uint_least64_t", "uint_least8_t", "uintmax_t", "uintptr_t",
    "unix", "wint_t",
};

template <class Table> constexpr bool isSorted(const Table &table) { return std::is_sorted(std::begin(table), std::end(table)); }
static_assert(isSorted(kWords) && isSorted(kMathFunctions) && isSorted(kLibraryFunctions) && isSorted(kTypesAndMacros));

template <class Table> bool contains(const Table &table, std::string_view name) { return std::binary_search(std::begin(table), std::end(table), name); }

} // namespace

std::string_view reservedAs(std::string_view name) {
  if (contains(kWords, name))
    return "it is a reserved word of C or C++";
  const bool suffixed = !name.empty() && (name.back() == 'f' || name.back() == 'l');
  if (contains(kLibraryFunctions, name) || contains(kMathFunctions, name) || (suffixed && contains(kMathFunctions, name.substr(0, name.size() - 1))))
    return "it is a function of the C library";
  if (contains(kTypesAndMacros, name))
    return "it is a type, a macro or an object of the C headers or the compiler";
  return "";
}

} // namespace normc
