private import Glibc
internal import NIOPosix

/// Why a stream cannot go where it is to go, in one line.
struct StreamProblem: Error, Sendable, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The system's text for an error number.
func systemText(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

/// The event loop of all streams: listeners are not to keep the commands' loop busy.
let streamLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
