internal import ArgumentParser

/// Normalises the command line's words to the form in which the verbs are declared.
///
/// mpc allows options before the verb, and has single words for some of Segue's pairs; both are accepted.
package enum CommandWords {
    /// mpc's verbs with other names here.
    static let spellings: [String: [String]] = [
        "lsplaylists": ["playlist", "ls"], "load": ["playlist", "load"], "save": ["playlist", "save"],
        "rm": ["playlist", "rm"], "playlistadd": ["playlist", "add"], "partitions": ["zone", "ls"],
        "listpartitions": ["zone", "ls"], "makepart": ["zone", "new"], "newpartition": ["zone", "new"],
        "delpart": ["zone", "rm"], "delpartition": ["zone", "rm"],
    ]

    private static let playlistVerbs: Set<String> = [
        "ls", "show", "load", "save", "rm", "rename", "add", "clear", "del", "move", "help",
    ]

    /// The possible second words of a verb's name.
    private static func secondWords(of verb: String) -> Set<String> {
        for group in VerbTable.groups {
            for candidate in group.subcommands where candidate.configuration.commandName == verb {
                var words: Set = ["help"]
                for inner in candidate.configuration.subcommands {
                    words.formUnion(inner.configuration.aliases)
                    if let name = inner.configuration.commandName { words.insert(name) }
                }
                return words
            }
        }
        return []
    }

    /// Options of every remote verb, and whether they take a value.
    private static let options: [String: Bool] = [
        "--host": true, "--port": true, "-p": true, "--password": true, "-P": true, "--zone": true,
        "--partition": true, "--format": true, "-f": true, "--quiet": false, "-q": false, "--no-status": false,
        "--json": false, "--wait": false, "-w": false,
    ]

    /// Options that are only for a server.
    private static let serverOptions: Set<String> = [
        "--host", "--port", "-p", "--password", "-P", "--zone", "--partition",
    ]

    /// The words with the verb first, under Segue's name for it.
    package static func normalised(_ words: [String]) -> [String] {
        var place = 0
        while place < words.count, let takesValue = isOption(words[place]) { place += takesValue ? 2 : 1 }
        guard place < words.count, !words[place].hasPrefix("-") else { return words }
        let (verb, options, rest) = (words[place], words[..<place], words[(place + 1)...])
        var result: [String]
        var taken = rest
        if verb == "playlist" {
            let word = firstArgument(rest)
            if let word, playlistVerbs.contains(rest[word]) {
                // Options may be between the two words.
                result = ["playlist", rest[word]]
                taken.remove(at: word)
            } else if word != nil {
                result = ["playlist", "show"]
            } else if rest.contains(where: { ["-h", "--help", "-help"].contains($0) }) {
                result = ["playlist"]
            } else {
                result = ["queue"]
            }
        } else if let word = firstArgument(rest), secondWords(of: verb).contains(rest[word]) {
            result = [verb, rest[word]]
            taken.remove(at: word)
        } else {
            result = spellings[verb] ?? [verb]
        }
        return result + options + taken
    }

    /// The program that carries out `play`.
    package enum PlayMeaning: Sendable, Hashable {
        /// This machine, in the foreground.
        case here
        case server
        /// Files cannot be combined with a server; the file.
        case contradiction(file: String)
    }

    /// The meaning of `segue play`: with files, play them here; without, or with the number of a position in the queue,
    /// let the server play.
    ///
    /// - Parameter words: The words after `play`.
    package static func playMeaning(_ words: [String]) -> PlayMeaning {
        var files: [String] = []
        var namesServer = false
        var namesOther = false
        var place = 0
        while place < words.count {
            let word = words[place]
            if word == "--" {
                files += words[(place + 1)...]
                break
            }
            if let takesValue = isOption(word) {
                if serverOptions.contains(name(of: word)) { namesServer = true }
                place += takesValue ? 2 : 1
                continue
            }
            if word.hasPrefix("-"), word != "-" {
                namesOther = true
            } else {
                files.append(word)
            }
            place += 1
        }
        let isPlace = files.count == 1 && files[0].utf8.allSatisfy { (0x30...0x39).contains($0) } && !files[0].isEmpty
        if namesServer, let file = files.first, !isPlace { return .contradiction(file: file) }
        if namesOther { return .here }
        return files.isEmpty || isPlace ? .server : .here
    }

    private static func name(of word: String) -> String {
        word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : word.count > 2 ? String(word.prefix(2)) : word
    }

    /// Whether a word is an option of remote verbs, and if so, whether its value is the next word.
    static func isOption(_ word: String) -> Bool? {
        guard word.hasPrefix("-"), let takesValue = options[name(of: word)] else { return nil }
        let hasOwnValue = word.hasPrefix("--") ? word.contains("=") : word.count > 2
        if hasOwnValue, !takesValue { return nil }
        return takesValue && !hasOwnValue
    }

    /// The index of the first word that is not an option.
    static func firstArgument(_ words: ArraySlice<String>) -> Int? {
        var place = words.startIndex
        while place < words.endIndex {
            guard words[place].hasPrefix("-"), words[place] != "-" else { return place }
            place += isOption(words[place]) == true ? 2 : 1
        }
        return nil
    }
}
