#pragma once
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

/// Lets this process do nothing from now on but compute, read and write open files, and use memory and threads.
///
/// Everything else fails with EPERM: opening files, sockets, programs, signals to others. Returns 0, or an errno.
static inline int segue_confine(void) {
    // clone3 hides its flags behind a pointer; the C library then uses clone.
    static const int allowed[] = {
        SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pwrite64),
        SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(close), SCMP_SYS(recvmsg), SCMP_SYS(sendmsg), SCMP_SYS(poll),
        SCMP_SYS(ppoll), SCMP_SYS(ftruncate), SCMP_SYS(memfd_create),
        SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(mprotect), SCMP_SYS(madvise), SCMP_SYS(brk),
        SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
        SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(restart_syscall),
        SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction), SCMP_SYS(sigaltstack),
        SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday),
        SCMP_SYS(getrandom), SCMP_SYS(getrusage), SCMP_SYS(setrlimit), SCMP_SYS(sysinfo),
    };
    if (prctl(PR_SET_DUMPABLE, 0) != 0) return errno;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (filter == NULL) return ENOMEM;
    // Threads that libraries have started by now are held to it, too.
    int code = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    for (size_t number = 0; number < sizeof allowed / sizeof *allowed && code == 0; number++)
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[number], 0);
    // Threads, but no processes.
    if (code == 0)
        code = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, 0x00010000, 0x00010000)
        );
    if (code == 0) code = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    // Signals to itself only, with which the C library aborts.
    if (code == 0)
        code = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid())
        );
    // Its own limits only: the process that it names is 0.
    if (code == 0) code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_EQ, 0));
    if (code == 0) code = seccomp_load(filter);
    seccomp_release(filter);
    return -code;
}
