internal import Files
private import Glibc

/// The servers whose certificates were seen before, in a file of lines `SERVER PIN`, as ssh's known_hosts.
///
/// A server's first certificate is believed; another one later is not.
struct KnownServers {
    struct Problem: Error { let reason: String }

    let path: String

    /// The folder of segue's own files: `$XDG_CONFIG_HOME/segue`, or `~/.config/segue`; `nil` without a home.
    static func folder(_ variable: (String) -> String?) -> String? {
        if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder + "/segue" }
        return variable("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.config/segue" : nil }
    }

    init(folder: String) { path = folder + "/known-hosts" }

    /// The pin that is known of a server, and its line; `nil` for a new server.
    func pin(of server: String) throws(Problem) -> (pin: String, line: Int)? {
        let bytes: [UInt8]
        do {
            bytes = try fileContents(path, atMost: 1 << 20)
        } catch {
            if error == .noSuchFile { return nil }
            throw Problem(reason: "\(path): \(error)")
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == server { return (String(words[1]), index + 1) }
        }
        return nil
    }

    /// Adds a server.
    func remember(_ server: String, _ pin: String) throws(Problem) {
        Self.makeFolder(of: path)
        let file = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw problem() }
        defer { close(file) }
        let line = Array("\(server) \(pin)\n".utf8)
        guard unsafe write(file, line, line.count) == line.count else { throw problem() }
    }

    /// Makes the folder of a file, for this user only.
    static func makeFolder(of path: String) {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            unsafe mkdir(folder, 0o700)
        }
    }

    private func problem() -> Problem { Problem(reason: "\(path): \(SystemError.current)") }
}
