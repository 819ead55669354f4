private import Glibc

/// The terminal's capabilities, from itself and the environment.
package enum TerminalTraits {
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether escape sequences and keys can be used: not on a terminal with the type dumb, such as an editor's.
    package static var isCapable: Bool {
        guard let name = variable("TERM"), !name.isEmpty else { return false }
        return name != "dumb"
    }

    /// Whether colour is wanted (https://no-color.org).
    package static func takesColour(_ descriptor: Int32) -> Bool {
        isTerminal(descriptor) && isCapable && (variable("NO_COLOR") ?? "").isEmpty
    }

    /// Whether symbols beyond ASCII can be shown.
    package static var isUnicode: Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        guard let locale = names.compactMap(variable).first(where: { !$0.isEmpty }) else { return false }
        let name = locale.lowercased()
        return name.contains("utf-8") || name.contains("utf8")
    }

    /// The terminal's columns.
    package static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return variable("COLUMNS").flatMap { Int($0) } ?? 80
    }

    /// The terminal's rows.
    package static func height(of descriptor: Int32) -> Int {
        var size = winsize()
        if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 { return Int(size.ws_row) }
        return variable("LINES").flatMap { Int($0) } ?? 24
    }

    package static func variable(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
