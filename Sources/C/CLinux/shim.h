// What Linux has and Glibc's module does not show.
#pragma once
#include <malloc.h>
#include <sched.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Gives the calling thread the disk only while nobody else wants it (ioprio_set(2), class "idle"); Glibc has no function.
static inline void segue_yield_disk(void) { (void)syscall(SYS_ioprio_set, 1, 0, 3 << 13); }

/// The kind of file system that an open file is on (fstatfs(2)), 0 when it cannot be told.
static inline unsigned int segue_file_system(int descriptor) {
    struct statfs status;
    return fstatfs(descriptor, &status) == 0 ? (unsigned int)status.f_type : 0;
}

/// Has the calling thread run only while no other wants to (sched(7), SCHED_IDLE, which Glibc shows only with GNU's names).
static inline void segue_run_when_idle(void) {
    struct sched_param parameters = {0};
    (void)sched_setscheduler(0, 5, &parameters);
}

/// Gives memory back to the system that was freed (malloc_trim(3)); Glibc's module has no `malloc.h`.
static inline void segue_give_back_memory(void) { (void)malloc_trim(0); }

/// Has large pieces of memory go back to the system as soon as they are freed (mallopt(3)): by itself the C library keeps
/// twice the largest that there ever was.
static inline void segue_keep_little_memory(void) {
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 20);
}
