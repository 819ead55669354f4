import Foundation
import Testing

/// Runs a program to its end.
struct Program {
    var status: Int32
    /// Whether it was ended by a signal, whose number then is the status.
    var wasSignalled: Bool
    var standardOutput: String
    var standardError: String

    /// Where the package's own programs are: beside the tests.
    static func own(_ name: String) throws -> String {
        let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
        try #require(FileManager.default.isExecutableFile(atPath: path), "\(path) is not built")
        return path
    }

    /// - Parameter environment: Laid over this process's.
    static func run(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Program {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try process.run()
        // What these programs say fits into a pipe, so that one can be read after the other.
        let outputData = output.fileHandleForReading.readDataToEndOfFile()
        let errorData = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Program(
            status: process.terminationStatus,
            wasSignalled: process.terminationReason == .uncaughtSignal,
            standardOutput: String(decoding: outputData, as: UTF8.self),
            standardError: String(decoding: errorData, as: UTF8.self)
        )
    }
}
