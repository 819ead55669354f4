import ServerCommands
import ServerRequests
import TestSupport

/// Writes requests for every row of the command table, with arguments of the right kind or of none.
///
/// A row's usage is its grammar: capitals are arguments, `a|b` a choice, brackets what may be left out, and `...` what may
/// be repeated. Commands whose usage leaves their arguments open have forms of their own here.
struct CommandGrammar {
    private var forms: [(command: String, words: [String])] = []

    /// Commands that end the connection or the server, which the fuzzer does by other means, and one that changes its language.
    private static let left: Set = ["close", "json", "kill", "password"]

    /// In place of usages that leave open what may follow.
    private static let explicit: [String: [String]] = [
        "session": [
            "list", "info ID", "open NAME [persistent] [sink SINK] [class CLASS]", "close ID",
            "category ID CATEGORY [mode SESSIONMODE] [options OPTIONS] [policy POLICY]", "activate ID",
            "deactivate ID [notifyothers]", "playing ID BOOLEAN", "background ID BOOLEAN",
            "prefer ID PREFERENCE BOOLEAN",
            "interrupt begin CLASS [name NAME] [style full|banner] [recording BOOLEAN] [bound BOOLEAN] [zone ZONE]",
            "interrupt accept ID", "interrupt end ID [resume BOOLEAN]", "hint ID", "events [ID]", "codes",
            "silence BOOLEAN",
            "lock BOOLEAN",
            "permission list", "permission grant|deny OWNER CLASS", "VERB ID NAME",
            "nowplaying", "nowplaying ID INFO NAME INFO SECONDS", "commands ID REMOTE [REMOTE]", "players",
            "send ID|nowplaying REMOTE [VALUE]", "reply ID ID",
        ],
        "alarm": [
            "list", "info ID", "holidays", "dismiss [ID]", "snooze [ID] [TIME]", "rm ID", "enable|disable ID",
            "skip ID [BOOLEAN]", "addholiday|rmholiday DATE [DATE]", "VERB ID",
            """
            add CLOCK [DAYS|DATE] [zone ZONE] [name TEXT] [uri URI] [fallback URI] [volume VOL] [ramp TIME] [snooze TIME] \
            [length TIME] [thenplay BOOLEAN] [holidays BOOLEAN]
            """,
        ],
        "schedule": [
            "list", "info ID", "rm ID", "enable|disable ID", "skip ID [BOOLEAN]", "VERB ID",
            "add CLOCK [DAYS|DATE] [zone ZONE] [name TEXT] [command TEXT] [holidays BOOLEAN]",
            "add CLOCK [DAYS|DATE] command stop",
        ],
        "announce": [
            """
            URI [say TEXT] [volume VOL] [duck DECIBELS] [chime URI] [class CLASS] [priority CHANGE] [expires SECONDS] \
            [zone ZONE]
            """,
            "say TEXT [voice NAME] [say TEXT] [expires SECONDS]",
        ],
        "clients": [
            "list", "show CLIENT", "set CLIENT permissions PERMISSIONS [zone ZONE] [until SECONDS] [hours HOURS]",
            "set CLIENT zone ZONE", "set CLIENT classes CLASS", "set CLIENT NAME VALUE",
            "revoke CLIENT", "forget CLIENT", "list CLIENT",
        ],
        "pair": [
            "request NAME", "status", "nonce", "prove NAME NAME", "token NAME NAME", "invitation NAME", "preview NAME",
            "VERB NAME",
        ],
        "pairing": [
            "list", "allow NAME [code NAME] [permissions PERMISSIONS] [zone ZONE] [until SECONDS]", "deny NAME",
            "reset CLIENT", "invite NAME [page URI] [permissions PERMISSIONS]",
        ],
        "picker": [
            "open [filter MEDIAFILTER] [limit VALUE] [ordered] [prompt TEXT]", "open NAME VALUE", "list", "items PICK",
            "open kind media|videos [representation compatible|current] [filter MEDIAFILTER] [limit VALUE] [continuous] [preselected ASSETS]",
            "open kind songs [purpose extend|once] [filter FILTER] [limit VALUE]", "load NAME ID", "withdraw PICK",
            "VERB PICK",
        ],
        "picking": [
            "list", "take|selection|finish|cancel|release PICK",
            "items PICK [URI] [filter MEDIAFILTER] [window START:END]",
            "items PICK FILTER",
            "select|deselect PICK URI [URI]", "move PICK URI ID", "VERB PICK",
        ],
        "ceiling": [
            "list", "set ZONE volume VALUE [speed RATE] [hours HOURS] [until SECONDS]", "set ZONE NAME VALUE",
            "clear ZONE",
        ],
        "audit": ["list [CLIENT]", "why [CLIENT]", "doors"],
        "sticker": [
            "get|delete STICKERTYPE URI NAME", "set|inc|dec STICKERTYPE URI NAME VALUE", "list STICKERTYPE URI",
            "delete STICKERTYPE URI",
            "find STICKERTYPE URI NAME [OPERATOR VALUE] [sort uri|value|value_int] [window START:END]",
        ],
    ]

    /// - Parameter commands: A row's name and usage, as the table has them.
    init(_ commands: [(name: String, usage: String)] = CommandTable.standard.commands.map { ($0.name, $0.usage) }) {
        for (name, usage) in commands where !Self.left.contains(name) {
            let usages = Self.explicit[name] ?? [usage.split(separator: " ").dropFirst().joined(separator: " ")]
            for usage in usages { forms.append((name, usage.split(separator: " ").map(String.init))) }
        }
    }

    /// Names of arguments for which no values are known.
    var unknownArguments: Set<String> {
        let names = forms.flatMap(\.words).flatMap(alternatives).filter(\.isArgument)
        return Set(names).subtracting(FuzzValues.plausible.keys)
    }

    /// A request, without its line feed.
    func request(_ generator: inout SplitMix) -> [UInt8] {
        guard let form = forms.randomElement(using: &generator) else { return [] }
        var line = Array(form.command.utf8)
        for word in words(of: form.words, &generator) {
            line.append(0x20)
            line += FuzzValues.written(word, &generator)
        }
        if generator.isOne(in: 200) { generator.mutate(&line, with: FuzzValues.pieces) }
        return line.filter { $0 != 0x0a }
    }

    private func words(of form: [String], _ generator: inout SplitMix) -> [[UInt8]] {
        var result: [[UInt8]] = []
        var isSkipping = false
        for part in form {
            if part.hasPrefix("[") { isSkipping = generator.isOne(in: 2) }
            if !isSkipping {
                let count = part.contains("...") ? Int.random(in: 0...4, using: &generator) : 1
                for _ in 0..<count {
                    guard let word = alternatives(of: part).randomElement(using: &generator) else { continue }
                    result.append(word.isArgument ? FuzzValues.value(word, &generator) : Array(word.utf8))
                }
            }
            if part.hasSuffix("]") { isSkipping = false }
        }
        // One too many, or one too few.
        if generator.isOne(in: 60) { result.append(FuzzValues.value("NAME", &generator)) }
        if generator.isOne(in: 60) { _ = result.popLast() }
        return result
    }

    private func alternatives(of part: String) -> [String] {
        let plain = part.filter { !"[]".contains($0) }.replacing("...", with: "")
        return plain.split(separator: "|").map(String.init)
    }
}

extension String {
    fileprivate var isArgument: Bool { first?.isUppercase == true }
}

extension SplitMix {
    /// Whether a thing that happens once in `count` times happens.
    mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
