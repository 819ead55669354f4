internal import Charsets

extension Schema {
    /// One character set for all texts that declare none, or a table of them by folder and address.
    static let charset = Setting<Draft>("charset", expected: nil) { node, target, reading in
        var rules = CharsetRules()
        switch node.value {
        case .text: rules.everywhere = characterSet.value(of: node, named: "charset", &reading)
        case .table(let entries):
            guard entries.count <= mostPlaces else {
                return reading.error(node.line, "\"charset\" has more than \(mostPlaces) folders and addresses")
            }
            for entry in entries {
                guard let charset = characterSet.value(of: entry.node, named: entry.key, &reading) else { continue }
                guard entry.key.utf8.count <= longestPlace, entry.key.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
                else {
                    reading.error(
                        entry.node.line,
                        "a folder or address in \"charset\" is too long, or has control characters"
                    )
                    continue
                }
                if ["", ".", "/"].contains(entry.key) {
                    rules.everywhere = charset
                } else if entry.key.hasPrefix("/") {
                    reading.error(
                        entry.node.line,
                        "\(quoted(entry.key)) must be a folder in the music directory, without the path to that, or an address"
                    )
                } else {
                    rules.places[entry.key] = charset
                }
            }
        default:
            return reading.error(
                node.line,
                "\"charset\" must be \(characterSet.expected), or a table of folders and addresses with such names, not \(node)"
            )
        }
        target.configuration.charsets = rules
    }

    private static let mostPlaces = 1_000
    /// In bytes, of a folder or an address.
    private static let longestPlace = 4_096

    private static let characterSet = SettingType<Charset>("a character set such as \"windows-1251\" (see iconv -l)") {
        Charset(named: $0)
    }
}
