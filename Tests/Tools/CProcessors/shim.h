#pragma once

#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Keeps the calling thread on one processor: sched_setaffinity(2), which glibc declares for _GNU_SOURCE only.
///
/// Returns whether this process may run there.
static inline bool segue_stay_on_processor(int number) {
    unsigned long set[16] = {0};
    const int width = 8 * sizeof(set[0]);
    if (number < 0 || number >= 16 * width) return false;
    set[number / width] = 1ul << (number % width);
    return syscall(SYS_sched_setaffinity, 0, sizeof(set), set) == 0;
}
