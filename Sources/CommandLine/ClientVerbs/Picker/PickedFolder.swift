import CommandOptions
import Files
import ProtocolClient
import TerminalText

/// The folder into which what was picked is written.
struct PickedFolder {
    /// A file that was written here.
    private struct Written {
        let path: String
        let status: FileStatus
    }

    private let path: String
    private let session: Session
    /// By their items' handles.
    private var written: [String: Written] = [:]
    /// Whether one of the items could not be loaded.
    private(set) var hasFailed = false

    init(_ path: String, _ session: Session) {
        var path = path
        while path.hasSuffix("/") { path.removeLast() }
        (self.path, self.session) = (path, session)
    }

    /// Makes the folder where there is none.
    static func make(_ path: String, _ session: Session) throws {
        makeFolders(path, permissions: 0o777)
        do { try checkFolderReadable(path + "/.") } catch { throw session.fail("\(path): \(error)") }
        // Fewer round trips; a server with small buffers keeps its own number.
        _ = try? session.run("binarylimit", "1048576")
    }

    /// Writes all items; those that cannot be loaded are complained of, and do not fail the others.
    ///
    /// - Parameter tell: Called for each item with its file, which is `nil` where the client has it already, and its identifier.
    mutating func write(_ items: [ServerReply], tell: (String?, String?) -> Void) throws {
        removeOthers(than: items)
        for item in items {
            do {
                tell(try file(of: item), item["identifier"])
            } catch let error as RemoteError where error.refusal == nil {
                throw error
            } catch {
                hasFailed = true
                session.console.flush()
                Console.complain("\(Self.name(of: item)): \((error as? RemoteError)?.refusal?.text ?? "\(error)")")
            }
        }
    }

    /// Writes the items that are chosen now, as far as they can be loaded, and removes the files of others.
    mutating func follow(_ items: [ServerReply]) throws {
        removeOthers(than: items)
        for item in items {
            do {
                _ = try file(of: item)
            } catch let error as RemoteError where error.refusal == nil {
                throw error
            } catch {
                // It may have been taken back meanwhile; in the end, it is tried again.
            }
        }
    }

    mutating func removeAll() { removeOthers(than: []) }

    /// Removes the files of other items, unless they are not as they were written any more.
    private mutating func removeOthers(than items: [ServerReply]) {
        let handles = Set(items.compactMap { $0["handle"] })
        for (handle, file) in written where !handles.contains(handle) {
            if (try? FileStatus(of: file.path, followsLink: false)) == file.status {
                try? AtomicFile.remove(file.path)
            }
            written[handle] = nil
        }
    }

    /// The file of an item, which is written unless it is there.
    private mutating func file(of item: ServerReply) throws -> String? {
        guard let handle = item["handle"] else { return nil }
        if let path = written[handle]?.path { return path }
        let file = try write(handle, Self.name(of: item))
        written[handle] = Written(path: file, status: try FileStatus(of: file, followsLink: false))
        return file
    }

    private static func name(of item: ServerReply) -> String { DisplayText.fileName(item["name"] ?? "picked") }

    /// Loads an item into a new file, under another name where there is one of this name.
    private func write(_ handle: String, _ name: String) throws -> String {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        for copy in 1...10_000 {
            let target = "\(path)/\(name[..<dot])\(copy == 1 ? "" : "-\(copy)")\(name[dot...])"
            // Not even a link may have the name; it is looked at again when the file gets it.
            if (try? FileStatus(of: target, followsLink: false)) != nil { continue }
            do {
                return try AtomicFile.make(target, isNew: true) { file in
                    try load(handle, name, into: file)
                    return target
                }
            } catch let error as SystemError where error == .exists {
                continue
            }
        }
        throw SystemError.exists
    }

    private func load(_ handle: String, _ name: String, into file: borrowing Descriptor) throws {
        var progress = LoadProgress(name)
        defer { progress.clear() }
        var count = 0
        while true {
            let reply = try session.run("picker", "load", handle, String(count))
            let bytes = reply.binary ?? []
            try file.write(bytes)
            count += bytes.count
            guard !bytes.isEmpty, let size = reply["size"].flatMap({ Int($0) }), count < size else { return }
            progress.show(count, of: size)
        }
    }
}
