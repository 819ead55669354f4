import Foundation
import Testing

/// Comments name the thing that they are about.
struct WordTests {
    @Test func noCommentIsARiddle() throws {
        let riddle = /^\s*\/\/\/?\s+(- (Parameter \w+|Returns|Throws|\w+): )?(What|Who|Which|Whose)\b/
        for target in try Manifest.current.get().sources where target.type != "system" {
            for file in files(of: target) {
                let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                let riddles = lines.filter { $0.firstMatch(of: riddle) != nil }
                #expect(riddles.isEmpty, "\(target.name)/\(file.lastPathComponent): name the thing")
            }
        }
    }
}
