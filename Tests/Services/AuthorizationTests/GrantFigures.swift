import Foundation
import Testing

@testable import Authorization

/// What many principals take in memory.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["SEGUE_SOAK"] != nil)) struct GrantFigures {
    @Test func aThousandPrincipals() {
        var stores: [GrantStore] = []
        // They take the memory first that others have given back, which the process has already.
        for _ in 0..<60 { stores.append(store()) }
        let before = privateMemory()
        for _ in 0..<40 { stores.append(store()) }
        let kilobytes = (privateMemory() - before) / 40
        print("1,000 principals: \(kilobytes) kB")
        #expect((100...1_000).contains(kilobytes) && stores.allSatisfy { $0.count == 1_000 })
    }

    private func store() -> GrantStore {
        let hash = "$y$j9T$" + String(repeating: "x", count: 22) + "$" + String(repeating: "y", count: 39)
        var store = GrantStore()
        for number in 0..<1_000 {
            let line = [
                "client", "a-client-named-\(number)", "\(hash)\(1_000 + number)", "permissions", "read,add-only",
                "zone",
                "kitchen", "until", "1790000000", "songs", "5",
            ]
            let isUnderstood = store.apply(line)
            #expect(isUnderstood)
        }
        return store
    }

    /// In kB.
    private func privateMemory() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Private_Dirty:") }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }
}
