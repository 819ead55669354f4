internal import Files
internal import Glibc

/// The processor time and the memory of this process.
package struct ProcessUsage: Sendable {
    /// Time of processors, in seconds.
    package let processorTime: Double
    /// Memory that is in use now, in bytes.
    package let memory: Int

    /// - Returns: `nil` where the system does not tell.
    package init?() {
        var usage = rusage()
        guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0,
            // Sizes in pages: of the address space, and of its part in memory (proc_pid_statm(5)).
            let table = try? Descriptor("/proc/self/statm", .reading).contents(atMost: 4_096),
            let pages = String(decoding: table, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap({
                Int($0)
            })
        else { return nil }
        processorTime = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        memory = pages * Int(getpagesize())
    }
}
