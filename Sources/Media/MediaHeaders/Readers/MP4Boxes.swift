/// The boxes in a part of an MP4 file, by their four letters.
struct MP4Boxes {
    private let range: Range<Int>

    /// More boxes in one than a valid file has.
    private static let limit = 4096

    init(_ range: Range<Int>) { self.range = range }

    /// The boxes in a `meta` box, before which QuickTime has no version.
    init(meta: Range<Int>, _ window: inout ByteWindow) {
        let isOfQuickTime = window.bigEndian(meta.lowerBound + 4, 4) == fourCC("hdlr")
        range = isOfQuickTime ? meta : min(meta.lowerBound + 4, meta.upperBound)..<meta.upperBound
    }

    /// Visits the name and contents of each box.
    func visit(_ window: inout ByteWindow, _ body: (Int, Range<Int>, inout ByteWindow) -> Void) {
        visitWhile(&window) {
            body($0, $1, &$2)
            return true
        }
    }

    /// Visits boxes until `body` returns false.
    private func visitWhile(_ window: inout ByteWindow, _ body: (Int, Range<Int>, inout ByteWindow) -> Bool) {
        var place = range.lowerBound
        for _ in 0..<Self.limit {
            guard place <= range.upperBound - 8, var size = window.bigEndian(place, 4),
                let name = window.bigEndian(place + 4, 4)
            else { return }
            var head = 8
            if size == 1 {
                guard let long = window.bigEndian(place + 8, 8) else { return }
                (size, head) = (long, 16)
            } else if size == 0 {
                size = range.upperBound - place
            }
            guard size >= head, size <= range.upperBound - place else { return }
            guard body(name, place + head..<place + size, &window) else { return }
            place += size
        }
    }

    /// The contents of all boxes with a name.
    func all(_ name: StaticString, _ window: inout ByteWindow) -> [Range<Int>] {
        let code = fourCC(name)
        var found: [Range<Int>] = []
        visit(&window) { kind, content, _ in if kind == code, !content.isEmpty { found.append(content) } }
        return found
    }

    /// The contents of the first box with a name; boxes behind it are not looked at.
    func first(_ name: StaticString, _ window: inout ByteWindow) -> Range<Int>? {
        let code = fourCC(name)
        var found: Range<Int>?
        visitWhile(&window) { kind, content, _ in
            if kind == code, !content.isEmpty { found = content }
            return found == nil
        }
        return found
    }
}
