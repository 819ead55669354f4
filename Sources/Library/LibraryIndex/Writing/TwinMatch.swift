internal import Songs

/// Matches files that are gone with new files of the same sound.
///
/// Files are paired by the best match first: the same inode, the same URI, then the longest common end of the path and
/// then its beginning, so that renamed directories keep their order. The remaining files are paired in order.
struct TwinMatch {
    struct File {
        let uri: String
        /// 0 when unknown.
        let inode: Int
    }

    /// The number of path components that are compared.
    private static let depth = 8

    private let old: [File]
    private let new: [File]
    private let mayBe: (Int, Int) -> Bool
    private var freeOld: [Int]
    private var freeNew: [Int]
    private var pairs: [(old: Int, new: Int)] = []

    /// - Parameter mayBe: Whether an old file may be a new one.
    /// - Returns: Pairs of indices.
    static func pairs(_ old: [File], _ new: [File], mayBe: (Int, Int) -> Bool) -> [(old: Int, new: Int)] {
        if old.count == 1, new.count == 1 { return mayBe(0, 0) ? [(0, 0)] : [] }
        return withoutActuallyEscaping(mayBe) { mayBe in
            var match = TwinMatch(old, new, mayBe)
            match.run()
            return match.pairs
        }
    }

    private init(_ old: [File], _ new: [File], _ mayBe: @escaping (Int, Int) -> Bool) {
        self.old = old
        self.new = new
        self.mayBe = mayBe
        freeOld = Array(old.indices)
        freeNew = Array(new.indices)
    }

    private mutating func run() {
        pair { file, _ in file.inode == 0 ? nil : String(file.inode) }
        pair { file, _ in file.uri }
        let most = min(Self.depth, (old + new).map { components(ofPath: $0.uri).count }.max() ?? 0)
        for end in stride(from: most, through: 0, by: -1) {
            for start in stride(from: most, through: 0, by: -1) {
                pair { _, components in
                    guard components.count >= max(end, start) else { return nil }
                    return (components.prefix(start) + [""] + components.suffix(end)).joined(separator: "/")
                }
            }
        }
    }

    /// Pairs files with the same key, in order.
    private mutating func pair(_ key: (File, [Substring]) -> String?) {
        if freeOld.isEmpty || freeNew.isEmpty { return }
        func name(_ file: File) -> ExactText? { key(file, components(ofPath: file.uri)).map { ExactText($0) } }
        var places: [ExactText: [Int]] = [:]
        for index in freeNew { if let name = name(new[index]) { places[name, default: []].append(index) } }
        var taken: (old: Set<Int>, new: Set<Int>) = ([], [])
        for index in freeOld {
            guard let name = name(old[index]), let there = places[name],
                let found = there.firstIndex(where: { mayBe(index, $0) })
            else { continue }
            pairs.append((index, there[found]))
            taken.old.insert(index)
            taken.new.insert(there[found])
            places[name]?.remove(at: found)
        }
        if taken.old.isEmpty { return }
        freeOld.removeAll { taken.old.contains($0) }
        freeNew.removeAll { taken.new.contains($0) }
    }
}
