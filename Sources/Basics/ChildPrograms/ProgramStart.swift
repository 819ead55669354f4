internal import CLinux
private import Glibc

/// How to start a program, including everything that it inherits.
///
/// It gets a process group of its own, so that it can be killed with all its children.
package struct ProgramStart: Sendable {
    /// The environment variables that it gets.
    package enum Environment: Sendable {
        case whole
        /// Those that a program needs to run, to find its files and to speak the user's language; none that may be
        /// secret.
        case usual
    }

    /// Three descriptors.
    package struct Streams: Sendable {
        package var input, output, errors: Int32

        package init(input: Int32, output: Int32, errors: Int32) {
            (self.input, self.output, self.errors) = (input, output, errors)
        }
    }

    package struct Failure: Error {
        /// The `errno` value.
        package let number: Int32
    }

    /// The first is the program: a path, or a name that is looked up in PATH.
    package var words: [String]
    package var environment = Environment.usual
    /// Its standard streams; `nil`: ours.
    package var streams: Streams?
    /// Whether it inherits other open descriptors without close-on-exec, which a shell's `<(…)` needs.
    package var keepsDescriptors = false
    /// Whether signals ignored or blocked here are reset to their defaults.
    package var resetsSignals = true
    /// In effect from its first instruction on.
    package var limits: ProgramLimits?
    /// The signal that it gets when the thread that starts it ends, however that happens; `nil`: none.
    package var endSignal: Int32?

    package init(_ words: [String]) { self.words = words }

    /// Starts the program; returns once it is known whether that succeeded.
    ///
    /// - Returns: The program, whose end is to be waited for.
    package func run() throws(Failure) -> RunningProgram {
        guard let name = words.first, !words.contains(where: { $0.utf8.contains(0) }) else {
            throw Failure(number: EINVAL)
        }
        let arguments = CStrings(words)
        let variables = CStrings(environment.variables)
        let limits = limits?.all ?? []
        let descriptors = streams.map { [$0.input, $0.output, $0.errors] }
        var id: pid_t = -1
        let number = unsafe name.withCString { name in
            unsafe limits.withUnsafeBufferPointer { limits in
                unsafe (descriptors ?? []).withUnsafeBufferPointer { streams in
                    var program = unsafe segue_program()
                    unsafe program.name = name
                    unsafe program.arguments = UnsafePointer(arguments.pointer)
                    unsafe program.variables = UnsafePointer(variables.pointer)
                    unsafe program.streams = descriptors == nil ? nil : streams.baseAddress
                    unsafe program.keeps_descriptors = keepsDescriptors
                    unsafe program.resets_signals = resetsSignals
                    unsafe program.limits = limits.baseAddress
                    unsafe program.limit_count = Int32(limits.count)
                    unsafe program.end_signal = endSignal ?? 0
                    return unsafe segue_start_program(&program, &id)
                }
            }
        }
        guard number == 0 else { throw Failure(number: number) }
        return RunningProgram(id: id)
    }
}

extension ProgramStart.Environment {
    private static let passedOn: Set<String> = [
        "ESPEAK_DATA_PATH", "HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER", "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    ]

    /// As `NAME=value`.
    var variables: [String] {
        var variables: [String] = []
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let variable = unsafe String(cString: entry)
            if passes(variable.prefix { $0 != "=" }) { variables.append(variable) }
            unsafe next += 1
        }
        return variables
    }

    private func passes(_ name: Substring) -> Bool {
        switch self {
        case .whole: true
        case .usual: Self.passedOn.contains(String(name)) || name.hasPrefix("LC_") || name.hasPrefix("PULSE_")
        }
    }
}

/// Copies of texts as a null-terminated array of C strings.
@safe
private struct CStrings: ~Copyable {
    let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        unsafe pointer = .allocate(capacity: count + 1)
        for (number, text) in texts.enumerated() { unsafe (pointer + number).initialize(to: strdup(text)) }
        unsafe (pointer + count).initialize(to: nil)
    }

    deinit {
        for number in 0..<count { unsafe free(pointer[number]) }
        unsafe pointer.deallocate()
    }
}
