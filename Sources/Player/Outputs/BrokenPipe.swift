private import Glibc

/// Makes a write to a pipe without a reader fail, instead of ending the process.
///
/// Holds for the calling thread.
func blockBrokenPipeSignal() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
}
