internal import Songs

/// The directories that are watched, in the shape in which they lie in each other.
///
/// The system names a directory by a number, and by the same one wherever a link shows it a second time.
struct WatchTree {
    /// A directory's place in the tree.
    typealias Node = Int

    private struct Entry {
        var name: String
        var parent: Node
        var children: [ExactText: Node] = [:]
        var watch: Int32
        /// How many links are on the way to it.
        var links = 0
    }

    static let root: Node = 0

    private var entries: [Entry?]
    private var free: [Node] = []
    private var nodes: [Int32: [Node]] = [:]

    init() { entries = [Entry(name: "", parent: -1, watch: -1)] }

    /// The system's numbers of all.
    var watches: [Int32] { Array(nodes.keys) }

    /// Where a watched directory is shown.
    func places(of watch: Int32) -> [Node] { nodes[watch] ?? [] }

    /// Whether a directory is watched in as many places as it is shown in, with so many links on the way to each.
    func isCrowd(_ watch: Int32, behind links: Int) -> Bool {
        links > 0 && places(of: watch).count { entries[$0]?.links == links } >= mostPlaces(behind: links)
    }

    /// Whether a place is, or lies in, a directory.
    func lies(_ node: Node, in watch: Int32) -> Bool {
        var node = node
        while let entry = entries[node], entry.watch != watch {
            if node == Self.root { return false }
            node = entry.parent
        }
        return true
    }

    /// How many links are on the way to a place.
    func links(to node: Node) -> Int { entries[node]?.links ?? 0 }

    func contains(_ node: Node) -> Bool { entries[node] != nil }

    func child(_ name: String, of node: Node) -> Node? { entries[node]?.children[ExactText(name)] }

    /// Whether no directory in a place is watched.
    func isLeaf(_ node: Node) -> Bool { entries[node]?.children.isEmpty ?? true }

    func uri(of node: Node) -> String {
        var names: [String] = []
        var node = node
        while node != Self.root, let entry = entries[node] {
            names.append(entry.name)
            node = entry.parent
        }
        return names.reversed().joined(separator: "/")
    }

    mutating func setWatch(_ watch: Int32, of node: Node) {
        entries[node]?.watch = watch
        nodes[watch, default: []].append(node)
    }

    /// Adds a directory; one of the same name is not there.
    mutating func add(_ name: String, to parent: Node, watch: Int32, links: Int) -> Node {
        let entry = Entry(name: name, parent: parent, watch: watch, links: links)
        let node: Node
        if let place = free.popLast() {
            node = place
            entries[node] = entry
        } else {
            node = entries.count
            entries.append(entry)
        }
        entries[parent]?.children[ExactText(name)] = node
        nodes[watch, default: []].append(node)
        return node
    }

    /// Takes out a directory with all below it.
    ///
    /// - Returns: The numbers that no place has any more.
    mutating func remove(_ node: Node) -> [Int32] {
        guard node != Self.root, let entry = entries[node] else { return [] }
        entries[entry.parent]?.children[ExactText(entry.name)] = nil
        var orphans: [Int32] = []
        var waiting = [node]
        while let next = waiting.popLast() {
            guard let entry = entries[next] else { continue }
            waiting += entry.children.values
            entries[next] = nil
            free.append(next)
            nodes[entry.watch]?.removeAll { $0 == next }
            if nodes[entry.watch]?.isEmpty == true {
                nodes[entry.watch] = nil
                orphans.append(entry.watch)
            }
        }
        return orphans
    }
}
