internal import Songs

/// The tree of watched directories.
///
/// The kernel identifies a directory by a watch descriptor, which is the same wherever a link shows the directory
/// again.
struct WatchTree {
    /// A directory's node in the tree.
    typealias Node = Int

    private struct Entry {
        var name: String
        var parent: Node
        var children: [ExactText: Node] = [:]
        var watch: Int32
        /// The number of links on the path to it.
        var links = 0
    }

    static let root: Node = 0

    private var entries: [Entry?]
    private var free: [Node] = []
    private var nodes: [Int32: [Node]] = [:]

    init() { entries = [Entry(name: "", parent: -1, watch: -1)] }

    /// All watch descriptors.
    var watches: [Int32] { Array(nodes.keys) }

    /// The nodes of a watched directory.
    func places(of watch: Int32) -> [Node] { nodes[watch] ?? [] }

    /// Whether a directory already has its maximum number of nodes, given the number of links on the path.
    func isCrowd(_ watch: Int32, behind links: Int) -> Bool {
        links > 0 && places(of: watch).count { entries[$0]?.links == links } >= mostPlaces(behind: links)
    }

    /// Whether a node is, or is inside, a directory.
    func lies(_ node: Node, in watch: Int32) -> Bool {
        var node = node
        while let entry = entries[node], entry.watch != watch {
            if node == Self.root { return false }
            node = entry.parent
        }
        return true
    }

    /// The number of links on the path to a node.
    func links(to node: Node) -> Int { entries[node]?.links ?? 0 }

    func contains(_ node: Node) -> Bool { entries[node] != nil }

    func child(_ name: String, of node: Node) -> Node? { entries[node]?.children[ExactText(name)] }

    /// Whether no directory below a node is watched.
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

    /// Adds a directory, whose name must be new in its parent.
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

    /// Removes a directory and everything below it.
    ///
    /// - Returns: The watch descriptors that have no nodes any more.
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
