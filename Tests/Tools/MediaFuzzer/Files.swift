import Foundation
import Glibc

/// The files of a folder, sorted, so that a seed means the same one.
func names(in folder: String) -> [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    try? FileManager.default.createDirectory(atPath: "\(folder)/now", withIntermediateDirectories: true)
    return all.filter { $0 != "now" }.sorted()
}

func contents(of path: String) -> [UInt8] { FileManager.default.contents(atPath: path).map { Array($0) } ?? [] }

func write(_ bytes: [UInt8], to path: String) {
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
}
