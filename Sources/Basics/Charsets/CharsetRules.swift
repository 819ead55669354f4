/// The character sets that the user has said texts are in which declare none, by place.
package struct CharsetRules: Sendable, Hashable {
    /// Of every place without a rule of its own; `nil` where texts are judged.
    package var everywhere: Charset?
    /// By folder of the music directory (`Kino` is also for `Kino/1988/a.mp3`), or by the start of an address.
    package var places: [String: Charset] = [:]

    package init(everywhere: Charset? = nil, places: [String: Charset] = [:]) {
        self.everywhere = everywhere
        self.places = places
    }

    /// The rule for a song's URI, a folder or an address: its own (`#charset=`), else that of the nearest folder.
    package subscript(place: String) -> Charset? {
        if let own = Charset(ofAddress: place) { return own }
        guard !places.isEmpty else { return everywhere }
        var rest = place[...]
        while !rest.isEmpty {
            if let charset = places[String(rest)] ?? places[rest + "/"] { return charset }
            guard let slash = rest.dropLast().lastIndex(of: "/") else { break }
            rest = rest[...slash]
            if let charset = places[String(rest)] { return charset }
            rest = rest.dropLast()
        }
        return everywhere
    }
}

extension Charset {
    /// The character set that an address names in its fragment, as in `http://radio.example/live#charset=windows-1251`.
    package init?(ofAddress address: String) {
        guard let sign = address.utf8.lastIndex(of: UInt8(ascii: "#")) else { return nil }
        let fragment = address[address.utf8.index(after: sign)...]
        let part = fragment.split(separator: "&").firstNonNil { part in
            part.hasPrefix("charset=") ? part.dropFirst("charset=".count) : nil
        }
        guard let part else { return nil }
        self.init(named: String(part))
    }
}
