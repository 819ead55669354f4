import Glibc
import Testing
import Threads

/// Runs `body` on a thread of its own, whose files, and those of the threads that it begins, are opened as by a user who
/// may not read everything, also when the tests are run by root.
@discardableResult
func asOtherUser<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
    try await WorkThread.run(named: "other-user") {
        if getuid() == 0 {
            typealias SetFileUser = @convention(c) (uid_t) -> Int32
            // Only the calling thread's (setfsuid(2)); `nobody`, on every Linux.
            _ = try unsafe unsafeBitCast(hiddenFunction("setfsuid"), to: SetFileUser.self)(65534)
        }
        return try body()
    }
}

/// Has two files or directories take each other's place (renameat2(2)).
func exchange(_ path: String, _ other: String) throws {
    typealias Rename = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
    let rename = try unsafe unsafeBitCast(hiddenFunction("renameat2"), to: Rename.self)
    let exchanges: UInt32 = 2
    try #require(unsafe rename(AT_FDCWD, path, AT_FDCWD, other, exchanges) == 0)
}

/// A function that Glibc's module does not show.
private func hiddenFunction(_ name: String) throws -> UnsafeMutableRawPointer {
    try unsafe #require(unsafe dlsym(nil, name))
}
