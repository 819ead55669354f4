private import Foundation

/// The path of a program of this build.
///
/// - Throws: `WaitError` where it was not built.
package func builtProgram(_ name: String) throws -> String {
    let beside = Bundle.main.bundleURL.deletingLastPathComponent().appending(path: name).path
    let path = FileManager.default.fileExists(atPath: beside) ? beside : ".build/debug/\(name)"
    guard FileManager.default.fileExists(atPath: path) else {
        throw WaitError(description: "there is no program: swift build --product \(name)")
    }
    return URL(filePath: path).path
}
