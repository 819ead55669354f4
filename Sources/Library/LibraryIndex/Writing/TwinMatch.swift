internal import Songs

/// Which of several files of one sound is which: those that are gone beside those that have come.
///
/// Files are paired, best first: of the same inode, of the same URI, with the most of the path's end and then of its beginning
/// in common, so that directories that are renamed keep their order. What is left is paired as it comes.
struct TwinMatch {
    struct File {
        let uri: String
        /// 0 when it says nothing.
        let inode: Int
    }

    /// Components of a path; more are not compared.
    private static let depth = 8

    private let old: [File]
    private let new: [File]
    private let mayBe: (Int, Int) -> Bool
    private var freeOld: [Int]
    private var freeNew: [Int]
    private var pairs: [(old: Int, new: Int)] = []

    /// - Parameter mayBe: Whether one of the old files may be one of the new ones.
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

    /// Pairs files of the same key, those first that come first.
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
