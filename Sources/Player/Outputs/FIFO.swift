private import Glibc

/// A FIFO that is written to while somebody reads it.
///
/// Writing never waits: what a reader is too slow for is dropped, whole frames at a time.
@safe
final class FIFO: Sendable {
    /// Why a path cannot be used.
    struct Failure: Error, CustomStringConvertible {
        let path: String
        let reason: String
        var description: String { "\(path): \(reason)" }
    }

    let path: String
    private let wasCreated: Bool
    /// Leads to the FIFO itself, whatever becomes of its path.
    private let place: Int32

    /// Finds the FIFO, or makes it.
    ///
    /// - Throws: `Failure`.
    init(path: String) throws(Failure) {
        self.path = path
        wasCreated = unsafe mkfifo(path, 0o666) == 0
        guard wasCreated || errno == EEXIST else { throw Failure(path: path, reason: Self.text(errno)) }
        place = unsafe open(path, pathOnlyFlag | O_CLOEXEC)
        guard place >= 0 else { throw Failure(path: path, reason: Self.text(errno)) }
        var status = stat()
        // What fails from here on is closed by `deinit`, and must not be closed twice.
        guard unsafe fstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            throw Failure(path: path, reason: "is there already and is no FIFO; remove it, or name another path")
        }
    }

    deinit { close(place) }

    /// Removes the FIFO from its folder if it was made here.
    func remove() { if wasCreated { unsafe unlink(path) } }

    /// Opens the FIFO for writing.
    ///
    /// Blocks until somebody has it open for reading, or opens it.
    ///
    /// - Parameter capacity: Bytes that the pipe is to hold, if the system lets it.
    /// - Returns: A descriptor to write to; `nil` when the system refuses.
    func waitForReader(capacity: Int) -> Int32? {
        var descriptor: Int32
        repeat { descriptor = unsafe open(link, O_WRONLY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, setPipeSizeCommand, Int32(clamping: capacity))
        return descriptor
    }

    /// Opens the reading end, so that nobody waits for a reader any more.
    func openReader() -> Int32 { unsafe open(link, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }

    private var link: String { "/proc/self/fd/\(place)" }

    private static func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

/// `O_PATH`, which Glibc's module does not show: the values of all Linux ports but PA-RISC, SPARC and Alpha.
private let pathOnlyFlag: Int32 = 0o10000000
private let setPipeSizeCommand: Int32 = 1031
