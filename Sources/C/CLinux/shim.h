// Linux functions that the Glibc module lacks.
#pragma once
#include <iconv.h>
#include <linux/stat.h>
#include <malloc.h>
#include <sched.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "descriptors.h"
#include "program.h"

/// A descriptor that becomes readable when written to (eventfd(2)); Swift's Glibc module leaves its header out.
static inline int segue_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// A timer by the time of day (timerfd_create(2)); Swift's Glibc module leaves its header out.
static inline int segue_wall_timer(void) { return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC); }

/// Sets when it expires, in seconds since 1970; 0: never. A read also ends when the clock is set, with ECANCELED.
static inline void segue_set_wall_timer(int descriptor, int64_t moment) {
    struct itimerspec time = {0};
    time.it_value.tv_sec = (time_t)moment;
    (void)timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}

/// A file that lies in memory (memfd_create(2), declared only for GNU); negative when there can be none.
static inline int segue_memory_file(void) { return (int)syscall(SYS_memfd_create, "segue", 1u /* MFD_CLOEXEC */); }

/// Gives the calling thread disk access only while no other needs it (ioprio_set(2), class "idle"); Glibc has no
/// function.
static inline void segue_yield_disk(void) { (void)syscall(SYS_ioprio_set, 1, 0, 3 << 13); }

/// The type of the file system of an open file (fstatfs(2)), 0 when unknown.
static inline unsigned int segue_file_system(int descriptor) {
    struct statfs status;
    return fstatfs(descriptor, &status) == 0 ? (unsigned int)status.f_type : 0;
}

/// Makes the calling thread run only while no other wants to (sched(7), SCHED_IDLE, which Glibc declares only for GNU).
static inline void segue_run_when_idle(void) {
    struct sched_param parameters = {0};
    (void)sched_setscheduler(0, 5, &parameters);
}

/// Returns freed memory to the system (malloc_trim(3)); the Glibc module lacks `malloc.h`.
static inline void segue_give_back_memory(void) { (void)malloc_trim(0); }

/// Makes large blocks return to the system as soon as they are freed (mallopt(3)): by default the C library raises the
/// threshold to the largest block ever freed, and keeps twice as much.
static inline void segue_keep_little_memory(void) {
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

/// Moves the calling thread to another network namespace (setns(2), declared only for GNU), for network tests.
int setns(int descriptor, int kind);

/// Makes the calling thread alone act as another user (setresuid(2); the C library changes all threads), for tests of
/// rights.
static inline int segue_act_as(unsigned int user) { return (int)syscall(SYS_setresuid, -1, user, -1); }

/// The creation time of an open file, in nanoseconds since 1970 (statx(2), declared only for GNU); 0 if the file system
/// does not store it.
static inline int64_t segue_birth_time(int descriptor) {
    struct statx status = {0};
    if (syscall(SYS_statx, descriptor, "", 0x1000 /* AT_EMPTY_PATH */, STATX_BTIME, &status) != 0) return 0;
    if ((status.stx_mask & STATX_BTIME) == 0) return 0;
    return status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

// With one type, whatever the C library's macros have.
static const int segue_RLIMIT_CPU = RLIMIT_CPU;
static const int segue_RLIMIT_FSIZE = RLIMIT_FSIZE;
static const int segue_RLIMIT_AS = RLIMIT_AS;
static const int segue_RLIMIT_NOFILE = RLIMIT_NOFILE;
static const int segue_RLIMIT_CORE = RLIMIT_CORE;
