internal import Files

/// A small text file, read as a whole.
struct TextFile {
    let text: String
    /// The permission bits.
    let mode: UInt32

    enum Failure: Error {
        /// There is no such file.
        case missing
        /// The reason, as a clause for a message.
        case unreadable(String)
    }

    /// A text without a file.
    init(text: String) {
        self.text = text
        mode = 0
    }

    /// Configuration files are never larger.
    private static let limit = 4 << 20

    /// Reads a file; `/dev/null` is an empty one.
    init(_ path: String) throws(Failure) {
        if path == "/dev/null" { self.init(text: "") } else { try self.init(reading: path) }
    }

    private init(reading path: String) throws(Failure) {
        let content: [UInt8]
        do throws(SystemError) {
            let file = try Descriptor(path, .reading)
            mode = try file.status.permissions & 0o777
            content = try file.contents(atMost: Self.limit)
        } catch {
            throw Failure(error)
        }
        guard let text = String(validating: content, as: UTF8.self) else { throw .unreadable("it is not UTF-8") }
        self.text = text
    }
}

extension TextFile.Failure {
    fileprivate init(_ error: SystemError) {
        switch error {
        case .noSuchFile, .notInAFolder: self = .missing
        case .isFolder, .notAFile: self = .unreadable("it is not a regular file")
        case .tooLarge: self = .unreadable("it is larger than 4 MiB")
        default: self = .unreadable(error.description)
        }
    }
}
