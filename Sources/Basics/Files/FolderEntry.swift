private import Glibc

/// One name in a folder that is being read, valid while it is looked at.
@safe
package struct FolderEntry: ~Copyable {
    private let folder: Int32
    /// Ends with a zero.
    private let start: UnsafePointer<CChar>
    private let length: Int
    /// `nil` when only the file itself can tell: the file system does not say.
    package let kind: FileStatus.Kind?

    fileprivate init(_ folder: Int32, _ start: UnsafePointer<CChar>, _ length: Int, _ kind: FileStatus.Kind?) {
        self.folder = folder
        unsafe self.start = unsafe start
        self.length = length
        self.kind = kind
    }

    /// Without a zero.
    package var name: [UInt8] { unsafe Array(bytes) }

    /// The name as text; `nil` when it is not UTF-8.
    package var text: String? { unsafe String(validatingCString: start) }

    /// The name as text, with replacement characters in place of bytes that are not UTF-8.
    package var repairedText: String { unsafe String(cString: start) }

    /// Adds the name's bytes to others, without a zero.
    package func appendName(to names: inout [UInt8]) { unsafe names.append(contentsOf: bytes) }

    package func status(followsLink: Bool) throws(SystemError) -> FileStatus {
        unsafe try fileStatus(in: folder, start, followsLink: followsLink)
    }

    package func open(_ mode: OpenMode) throws(SystemError) -> Descriptor {
        Descriptor(adopting: unsafe try openDescriptor(in: folder, start, mode))
    }

    private var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: length) }
}

extension Descriptor {
    /// Looks at each name in this folder but `.` and `..`, in the folder's own order, from its beginning.
    ///
    /// A folder that cannot be read to its end is an error, also when some names were looked at before.
    package func forEachEntry(_ body: (borrowing FolderEntry) -> Void) throws(SystemError) {
        // closedir closes its descriptor, so it gets its own.
        let duplicate = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { throw .current }
        guard let stream = unsafe fdopendir(duplicate) else {
            let error = SystemError.current
            close(duplicate)
            throw error
        }
        defer { unsafe closedir(stream) }
        // The place in the folder is that of the descriptor that it was made from.
        unsafe rewinddir(stream)
        // The structure is as long as the name needs, so the array that its type declares is not copied whole.
        let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                if errno != 0 { throw .current }
                return
            }
            let start = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            let length = unsafe strlen(start)
            if unsafe start[0] == 0x2e, unsafe length == 1 || (length == 2 && start[1] == 0x2e) { continue }
            unsafe body(FolderEntry(number, start, length, FileStatus.Kind(type: Int(entry.pointee.d_type))))
        }
    }
}

extension FileStatus.Kind {
    fileprivate init?(type: Int) {
        switch type {
        case DT_UNKNOWN: return nil
        case DT_REG: self = .file
        case DT_DIR: self = .folder
        case DT_LNK: self = .link
        case DT_FIFO: self = .pipe
        default: self = .other
        }
    }
}

/// The names in a folder, with replacement characters in place of bytes that are not UTF-8.
package func fileNames(in folder: String) throws(SystemError) -> [String] {
    var names: [String] = []
    try Descriptor(folder, .folder).forEachEntry { names.append($0.repairedText) }
    return names
}
