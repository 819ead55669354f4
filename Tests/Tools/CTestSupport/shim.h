#pragma once

#include <stdbool.h>
#include <sys/syscall.h>

/// As in unistd.h, whose types belong to Glibc's module.
extern long syscall(long number, ...);

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

/// waitid(2) for a child, with the fifth argument of its system call: what the child has cost, a `struct rusage`.
///
/// Returns 0, or -1 with `errno`. The types are Glibc's, whose module has them.
static inline long segue_wait_for_child(int pid, void *information, int options, void *usage) {
    const int child = 1; // P_PID
    return syscall(SYS_waitid, child, pid, information, options, usage);
}
