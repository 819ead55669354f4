private import Glibc

/// Keeps a write to a pipe that nobody reads from ending the process; it fails instead.
///
/// Holds for the calling thread.
func blockBrokenPipeSignal() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
}
