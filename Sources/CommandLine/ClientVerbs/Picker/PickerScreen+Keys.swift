import LineProtocol
import ProtocolClient
import TerminalGrid
import TerminalText

extension PickerScreen {
    /// The lines of the help.
    static func usage(limit: Int, isOfSongs: Bool, isOwn: Bool) -> [String] {
        let lines = [
            "arrows  move the mark, as PgUp, PgDn, Home and End do",
            limit == 1 ? "Space   choose this one, as Enter does" : "Space   choose this one, or take it back",
            limit == 1 ? nil : "Enter   done\(isOwn ? "" : ": the client gets what is chosen")",
            limit == 1 ? nil : "s       show what is chosen, and all again",
            limit == 1 ? nil : "< >     move what is chosen forward or backward in the order",
            isOfSongs
                ? "v       show its cover; left and right: the one before and the next"
                : "v       show it large; left and right: the one before and the next",
            isOfSongs ? nil : "+ -     larger, smaller",
            isOfSongs
                ? "/       the songs with some words in their tags; none for all"
                : "/       those in a folder, by its whole name; none for all",
            isOfSongs ? nil : "f F     those of the next kind, or of the one before: panoramas, bursts, ...; then all",
            "q       \(isOwn ? "end, and choose nothing" : "end: the client gets nothing")",
        ]
        return lines.compactMap(\.self)
    }

    /// Of characters in the name of a folder, or in words.
    private static let mostTyped = 1_000

    /// - Returns: `nil` while the choice goes on.
    func obey(_ key: Key) throws -> PickerOutcome? {
        if let outcome = try keepRequest() { return outcome }
        message = nil
        switch mode {
        case .choosing: return try choose(key)
        case .typing(let text): try type(key, behind: text)
        case .help: goBack()
        case .viewing: return try look(key)
        }
        return nil
    }

    private func goBack() { (mode, drawn) = (.choosing, nil) }

    private func choose(_ key: Key) throws -> PickerOutcome? {
        switch key {
        case .character(" "): return try toggle()
        case .enter: return try finish()
        case .character("q"): return .cancelled
        case .character("s"): try switchLists()
        case .character("<"): try reorder(by: -1)
        case .character(">"): try reorder(by: 1)
        case .character("v"): view()
        case .character("+"), .character("="): zoom(by: 1)
        case .character("-"): zoom(by: -1)
        case .character("/"): mode = .typing("")
        case .character("f"): try switchKind(by: 1)
        case .character("F"): try switchKind(by: -1)
        case .character("?"): (mode, drawn) = (.help, nil)
        default:
            guard let step = Self.step(of: key) else { return nil }
            if step == .end { try findEnd() }
            grid.move(step)
            try load()
        }
        return nil
    }

    private static func step(of key: Key) -> ItemGrid<PickerItem>.Step? {
        switch key {
        case .left: .left
        case .right: .right
        case .up: .up
        case .down: .down
        case .pageUp: .pageUp
        case .pageDown: .pageDown
        case .home: .home
        case .end: .end
        default: nil
        }
    }

    // MARK: Choosing

    /// Chooses the item with the focus, or takes it back.
    private func toggle() throws -> PickerOutcome? {
        guard let uri = grid[grid.focus]?.uri else { return nil }
        if chosen.contains(uri) {
            try talk { try choice.deselect([uri]) }
            chosen.removeAll { $0 == uri }
            if selection != nil { try listSelection(focus: grid.focus) }
            return nil
        }
        try talk { try choice.select([uri]) }
        guard choice.limit > 1 else { return .chosen }
        chosen.append(uri)
        return nil
    }

    private func finish() throws -> PickerOutcome? {
        if choice.limit == 1, let uri = grid[grid.focus]?.uri, !chosen.contains(uri) { return try toggle() }
        guard chosen.count <= choice.limit else { throw PickerOrder.Problem.overLimit(chosen.count, choice.limit) }
        if !chosen.isEmpty || choice.mayEndEmpty { return .chosen }
        message = "nothing is chosen; Space chooses"
        return nil
    }

    /// Moves the item with the focus in the order of those that are chosen.
    private func reorder(by places: Int) throws {
        guard let uri = grid[grid.focus]?.uri, let place = chosen.firstIndex(of: uri) else {
            message = "this one is not chosen"
            return
        }
        let target = (place + places).clamped(to: 0...chosen.count - 1)
        try talk { try choice.move(uri, to: target) }
        chosen.remove(at: place)
        chosen.insert(uri, at: target)
        if selection != nil { try listSelection(focus: target) }
    }

    // MARK: Lists

    /// Shows what is chosen, or what was shown before.
    private func switchLists() throws {
        if selection != nil { return try listOthers() }
        if chosen.isEmpty {
            message = "nothing is chosen"
        } else {
            others = grid
            try listSelection(focus: 0)
        }
    }

    private func listSelection(focus: Int) throws {
        selection = []
        try readSelection()
        if chosen.isEmpty { return try listOthers() }
        grid.reset(focus: focus)
        drawn = nil
        try load()
    }

    private func listOthers() throws {
        let layout = grid.layout
        (selection, drawn) = (nil, nil)
        if let others { grid = others }
        others = nil
        // The terminal may have got another size.
        grid.setLayout(layout)
        try load()
    }

    private func type(_ key: Key, behind text: String) throws {
        switch key {
        case .character(let character) where text.count < Self.mostTyped: mode = .typing(text + String(character))
        case .backspace where text.isEmpty: mode = .choosing
        case .backspace: mode = .typing(String(text.dropLast()))
        case .enter:
            guard case .part(let part) = try? PickerOrder("/" + text) else { return }
            try list(part, kind)
            mode = .choosing
        case .escape: mode = .choosing
        default: break
        }
    }

    /// Shows another kind of pictures or videos alone; behind the last one, and before the first one, all.
    private func switchKind(by step: Int) throws {
        let kinds = choice.kinds
        guard !kinds.isEmpty else {
            message = "songs have no kinds; / finds some"
            return
        }
        let place = kind.flatMap { kinds.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let next = (place + step + kinds.count + 1) % (kinds.count + 1)
        try list(part, next == 0 ? nil : kinds[next - 1])
    }

    /// Lists another part, if the server has it.
    private func list(_ part: String, _ kind: String?) throws {
        let before = (self.part, self.kind, selection, grid)
        (self.part, self.kind, selection) = (part, kind, nil)
        grid.reset()
        do {
            try load()
            (others, drawn) = (nil, nil)
        } catch {
            (self.part, self.kind, selection, grid) = before
            guard (error as? RemoteError)?.refusal?.known == .doesNotExist else { throw error }
            throw PickerOrder.Problem.noFolder(part)
        }
    }

    // MARK: Looking

    /// Keys while one picture is shown.
    private func look(_ key: Key) throws -> PickerOutcome? {
        switch key {
        case .left, .right:
            grid.move(key == .left ? .left : .right)
            try load()
            view()
        case .character(" "): return try toggle()
        case .character("?"): (mode, drawn) = (.help, nil)
        default: goBack()
        }
        return nil
    }

    /// Shows the item with the focus as large as there is room for.
    private func view() {
        guard let uri = grid[grid.focus]?.uri else { return }
        message = "the picture is being loaded"
        draw()
        message = nil
        (mode, drawn) = (.viewing(fetch(PickerTile(uri: uri, canvas: viewCanvas))), nil)
    }
}
