internal import Files
private import Glibc

/// The FIFOs that this program has created and not removed yet, in persistent storage; methods may block.
package protocol FIFORecord: Sendable {
    /// Whether an open FIFO is the one that was created at a path.
    func contains(_ path: String, _ descriptor: Int32) -> Bool
    func add(_ path: String, _ descriptor: Int32)
    func remove(_ path: String)
}

/// A FIFO that is written to while it has a reader.
///
/// Writing never blocks: frames that a slow reader has no room for are dropped whole.
@safe
final class FIFO: Sendable {
    /// Why a path cannot be used.
    struct Failure: Error, CustomStringConvertible {
        let path: String
        let reason: String
        var description: String { "\(path): \(reason)" }
    }

    let path: String
    /// Whether it was created here, or by a process of ours that was killed.
    private let isOwn: Bool
    private let record: (any FIFORecord)?
    /// Refers to the FIFO itself, even if its path is renamed or removed.
    private let place: Descriptor

    /// Opens the FIFO, or creates it.
    ///
    /// - Parameter record: The record of our FIFOs; without it, none from an earlier process counts as ours.
    /// - Throws: `Failure`.
    init(path: String, record: (any FIFORecord)? = nil) throws(Failure) {
        self.path = path
        self.record = record
        let wasCreated = unsafe mkfifo(path, 0o666) == 0
        guard wasCreated || errno == EEXIST else { throw Failure(path: path, reason: SystemError.current.description) }
        let kind: FileStatus.Kind
        do throws(SystemError) {
            place = try Descriptor(path, .place)
            kind = try place.status.kind
        } catch {
            throw Failure(path: path, reason: error.description)
        }
        isOwn = wasCreated || record?.contains(path, place.number) == true
        guard kind == .pipe else {
            throw Failure(path: path, reason: "exists and is not a FIFO; remove it, or name another path")
        }
        if wasCreated { record?.add(path, place.number) }
    }

    /// Removes the FIFO from its folder if it is ours and still there, and not another one of the same name.
    func remove() {
        guard isOwn else { return }
        let identity = try? FileStatus(of: path, followsLink: false).identity
        if let identity, identity == (try? place.status.identity) { unsafe unlink(path) }
        record?.remove(path)
    }

    /// Opens the FIFO for writing.
    ///
    /// Blocks until a process opens it for reading, or has done so.
    ///
    /// - Parameter capacity: Bytes for the pipe's buffer, if the system allows it.
    /// - Returns: A descriptor for writing; `nil` when the system refuses.
    func waitForReader(capacity: Int) -> Int32? {
        var descriptor: Int32
        repeat { descriptor = unsafe open(place.link, O_WRONLY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, setPipeSizeCommand, Int32(clamping: capacity))
        return descriptor
    }

    /// Opens the reading end, so that no thread keeps waiting for a reader.
    func openReader() -> Int32 { unsafe open(place.link, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
}

/// `F_SETPIPE_SZ`, which the Glibc module lacks.
private let setPipeSizeCommand: Int32 = 1031
