private import Glibc

/// A small file of text, read whole.
struct TextFile {
    let text: String
    /// The permission bits.
    let mode: UInt32

    enum Failure: Error {
        /// There is no such file.
        case missing
        /// Half a sentence.
        case unreadable(String)
    }

    /// A text that is no file's.
    init(text: String) {
        self.text = text
        mode = 0
    }

    /// No configuration is larger.
    private static let limit = 4 << 20

    init(_ path: String) throws(Failure) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure() }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadable("it is not a regular file") }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure() }
            if count == 0 { break }
            content.append(contentsOf: buffer[..<count])
            guard content.count <= Self.limit else { throw .unreadable("it is larger than 4 MiB") }
        }
        guard let text = String(validating: content, as: UTF8.self) else { throw .unreadable("it is not UTF-8") }
        self.text = text
        mode = UInt32(status.st_mode & 0o777)
    }

    private static func failure() -> Failure {
        errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(systemMessage(errno))
    }
}

/// The system's words for an error number.
func systemMessage(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Whether a path leads to anything.
func fileExists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// Whether a path leads to a folder.
func folderExists(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
