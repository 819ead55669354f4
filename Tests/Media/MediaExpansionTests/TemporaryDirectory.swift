import AudioTypes
import Glibc
import MediaExpansion
import Testing

/// A directory for one test, removed with all that is in it when the test is done.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/segue-files.XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { removeAll(path) }

    func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Makes a file, and the directories above it.
    @discardableResult func write(_ name: String, _ text: String = "x") throws -> String {
        try write(name, bytes: Array(text.utf8))
    }

    @discardableResult func write(_ name: String, bytes: [UInt8]) throws -> String {
        let file = self(name)
        for (index, character) in name.enumerated() where character == "/" {
            _ = unsafe mkdir(self(String(name.prefix(index))), 0o700)
        }
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        try #require(descriptor >= 0, "\(name) cannot be made")
        defer { close(descriptor) }
        try #require(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        return file
    }

    func makeDirectory(_ name: String) { _ = unsafe mkdir(self(name), 0o700) }
    func link(_ name: String, to target: String) { _ = unsafe symlink(target, self(name)) }
    func makePipe(_ name: String) { _ = unsafe mkfifo(self(name), 0o600) }

    /// The locations without this directory's path.
    func names(_ list: MediaList) -> [String] { list.entries.map { strip($0.location) } }
    /// The problems' lines without this directory's path.
    func problems(_ list: MediaList) -> [String] { list.problems.map { strip($0.description) } }

    private func strip(_ text: String) -> String {
        var (result, rest) = ("", text[...])
        while let range = rest.firstRange(of: path + "/") {
            result += rest[..<range.lowerBound]
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}

private func removeAll(_ path: String) {
    if let stream = unsafe opendir(path) {
        var names: [[CChar]] = []
        while let entry = unsafe readdir(stream) {
            var name = unsafe entry.pointee.d_name
            names.append(
                unsafe withUnsafeBytes(of: &name) { bytes in
                    unsafe Array(bytes.prefix { $0 != 0 }).map { CChar(bitPattern: $0) } + [0]
                }
            )
        }
        unsafe closedir(stream)
        for name in names where name != [0x2e, 0] && name != [0x2e, 0x2e, 0] {
            let child = Array(path.utf8CString.dropLast()) + [0x2f] + name
            var status = stat()
            if unsafe lstat(child, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                removeAll(String(decoding: child.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
            } else {
                _ = unsafe unlink(child)
            }
        }
    }
    _ = unsafe rmdir(path)
}
