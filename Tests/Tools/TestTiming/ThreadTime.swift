private import Glibc

/// Processor time that the calling thread has taken, in seconds: what a computation costs, however busy the machine is.
package func threadSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
}
