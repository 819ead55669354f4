internal import CLinux

/// The resource limits of a started program; never higher than this process's.
package struct ProgramLimits: Sendable, Hashable {
    /// CPU time of each of its processes; the kernel kills one that exceeds it.
    package var seconds: Int
    /// Size of each file that it writes.
    package var fileBytes: Int
    /// Address space: voices of neural networks are mapped, and are large.
    package var memoryBytes = 8 << 30
    package var openFiles = 256

    package init(seconds: Int, fileBytes: Int) {
        self.seconds = seconds
        self.fileBytes = fileBytes
    }

    /// In the system's form; core files are disabled.
    ///
    /// The number of processes is not limited here: the system counts those of the whole user, who may have a desktop.
    /// The service's unit limits it (`TasksMax`).
    var all: [segue_limit] {
        [
            (segue_RLIMIT_CPU, seconds), (segue_RLIMIT_FSIZE, fileBytes), (segue_RLIMIT_AS, memoryBytes),
            (segue_RLIMIT_NOFILE, openFiles), (segue_RLIMIT_CORE, 0),
        ].map { segue_limit(resource: $0, most: UInt64(max(0, $1))) }
    }
}
