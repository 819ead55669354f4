package import AudioTypes

/// The alternative audio renditions, and the selected one.
package struct AudioTracks {
    /// In the author's order; each name and language once, although every quality group has it.
    package private(set) var tracks: [SoundTrack] = []
    package private(set) var selected: Int?
    private let renditions: [AudioRendition]

    package init(_ renditions: [AudioRendition], selection: TrackSelection) {
        self.renditions = renditions
        for rendition in renditions {
            let known = tracks.firstIndex { $0.name == rendition.name && $0.language == rendition.language }
            if let known {
                if rendition.isDefault { tracks[known].isDefault = true }
            } else {
                tracks.append(
                    SoundTrack(name: rendition.name, language: rendition.language, isDefault: rendition.isDefault)
                )
            }
        }
        guard !tracks.isEmpty else { return }
        selected = index(selection) ?? automatic
        // Whoever shows the tracks sees the one that is played unless another is asked for.
        let chosen = automatic
        for place in tracks.indices { tracks[place].isDefault = place == chosen }
    }

    /// The group's rendition of the selected track, else the nearest to it.
    package func rendition(of group: String) -> AudioRendition? {
        let group = renditions.filter { $0.group == group }
        guard let wanted = selected.map({ tracks[$0] }) else { return group.first }
        return group.first { $0.name == wanted.name && $0.language == wanted.language }
            ?? group.first { $0.language != nil && $0.language == wanted.language }
            ?? group.first(where: \.isDefault) ?? group.first
    }

    private func index(_ selection: TrackSelection) -> Int? {
        switch selection {
        case .automatic: nil
        case .number(let number), .preferred(let number): tracks.indices.contains(number - 1) ? number - 1 : nil
        case .language(let language): tracks.firstIndex { isSameLanguage($0.language, language) }
        case .languages(let languages): languages.firstNonNil(index(in:))
        }
    }

    private func index(in language: LanguageCode) -> Int? {
        tracks.firstIndex { $0.language.flatMap { LanguageCode($0) } == language }
    }

    /// The author's choice.
    private var automatic: Int {
        tracks.firstIndex(where: \.isDefault)
            ?? tracks.firstIndex { track in
                renditions.contains { $0.isAutoselected && $0.name == track.name && $0.language == track.language }
            } ?? 0
    }
}

/// Whether two codes mean one language; "de", "deu" and "de-CH" do, judged by their prefixes.
package func isSameLanguage(_ offered: String?, _ wanted: String) -> Bool {
    guard let offered = offered?.lowercased(), offered.utf8.count >= 2, wanted.utf8.count >= 2 else { return false }
    let wanted = wanted.lowercased()
    return offered.hasPrefix(wanted) || wanted.hasPrefix(offered)
}
