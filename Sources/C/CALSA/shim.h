#pragma once
// `struct pollfd` is Glibc's: with a definition of its own here, files that do not import this would lose theirs.
#define _SYS_POLL_H 1
struct pollfd;
#include <alsa/asoundlib.h>

/// Ignores a message; errors come back as numbers too.
__attribute__((unused)) static void segue_alsa_ignore(
    const char *file, int line, const char *function, int code, const char *format, ...) {}

/// Keeps libasound from writing to standard error; Swift cannot make a variadic function.
static inline void segue_alsa_quieten(void) { (void)snd_lib_error_set_handler(segue_alsa_ignore); }
