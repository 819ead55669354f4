// How a program is started, with limits that it has from its first instruction on: posix_spawn(3) sets none.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int execvpe(const char *, char *const[], char *const[]);

struct segue_limit {
    int resource;
    uint64_t most;
};

struct segue_program {
    /// A path, or a name that is looked for in PATH.
    const char *name;
    char *const *arguments;
    char *const *variables;
    /// The three that become 0, 1 and 2; NULL leaves it ours.
    const int *streams;
    /// Whether it inherits descriptors from 3 on that do not close themselves.
    bool keeps_descriptors;
    /// Whether all signals are as usual, none ignored or blocked.
    bool resets_signals;
    const struct segue_limit *limits;
    int limit_count;
    /// The signal that it gets when the thread that has started it ends (PR_SET_PDEATHSIG); 0 for none.
    int end_signal;
};

/// What the child does until it is the program: only system calls, for it has the parent's memory.
static inline void segue_become(const struct segue_program *program, pid_t parent, const sigset_t *mask) {
    if (setpgid(0, 0) != 0) return;
    struct sigaction usual = {0};
    for (int number = 1; number < NSIG; number++) {
        struct sigaction known;
        if (sigaction(number, NULL, &known) != 0 || known.sa_handler == SIG_DFL) continue;
        if (known.sa_handler == SIG_IGN && !program->resets_signals) continue;
        (void)sigaction(number, &usual, NULL);
    }
    if (program->streams != NULL) {
        int streams[3];
        // Those that are in each other's place are moved first.
        for (int number = 0; number < 3; number++) {
            streams[number] = fcntl(program->streams[number], F_DUPFD_CLOEXEC, 3);
            if (streams[number] < 0) return;
        }
        for (int number = 0; number < 3; number++)
            if (dup2(streams[number], number) < 0) return;
    }
    if (!program->keeps_descriptors && syscall(SYS_close_range, 3u, ~0u, 0u) != 0) {
        // Linux before 5.9.
        struct rlimit files;
        if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
        for (rlim_t number = 3; number < files.rlim_cur; number++) (void)close((int)number);
    }
    for (int number = 0; number < program->limit_count; number++) {
        struct { uint64_t current, largest; } limit;
        const struct segue_limit *wanted = &program->limits[number];
        if (syscall(SYS_prlimit64, 0, wanted->resource, NULL, &limit) != 0) return;
        if (wanted->most < limit.largest) limit.largest = wanted->most;
        if (wanted->most < limit.current) limit.current = wanted->most;
        if (syscall(SYS_prlimit64, 0, wanted->resource, &limit, NULL) != 0) return;
    }
    if (program->end_signal != 0) {
        if (prctl(PR_SET_PDEATHSIG, program->end_signal) != 0) return;
        // The parent may have been killed before that.
        if (getppid() != parent) return;
    }
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, program->resets_signals ? &none : mask, NULL);
    (void)execvpe(program->name, program->arguments, program->variables);
}

/// Starts a program in a process group of its own; returns 0 or an errno, as soon as it is known which.
static __attribute__((noinline, unused)) int segue_start_program(const struct segue_program *program, pid_t *id) {
    // Signals wait, so that no handler of ours runs in the child.
    sigset_t all, mask;
    sigfillset(&all);
    if (sigprocmask(SIG_BLOCK, &all, &mask) != 0) return errno;
    volatile int failure = 0;
    const pid_t parent = getpid();
    pid_t child = vfork();
    if (child == 0) {
        errno = 0;
        segue_become(program, parent, &mask);
        failure = errno != 0 ? errno : EINVAL;
        _exit(127);
    }
    int number = child < 0 ? errno : failure;
    if (child > 0 && number != 0) (void)waitpid(child, NULL, 0);
    (void)sigprocmask(SIG_SETMASK, &mask, NULL);
    *id = number == 0 ? child : -1;
    return number;
}
