package import DBus

/// The known facts of a track: MPRIS's metadata, in the types that the specification gives them.
package struct TrackMetadata: Sendable, Hashable {
    /// Names the track, within its player, until it is replaced.
    package var id: ObjectPath
    /// In seconds; `nil` when unknown, or without an end.
    package var duration: Double?
    package var title: String?
    package var artists: [String] = []
    package var album: String?
    package var albumArtists: [String] = []
    package var composers: [String] = []
    package var genres: [String] = []
    package var comments: [String] = []
    package var trackNumber: Int?
    package var discNumber: Int?
    /// A date as ISO 8601 writes it.
    package var date: String?
    /// The media's address.
    package var url: String?
    /// The cover's address.
    package var artURL: String?

    package init(id: ObjectPath) { self.id = id }

    /// How many values of one kind are told.
    private static let valueLimit = 32

    /// `a{sv}`, without what is not known.
    package var value: BusValue { .properties(properties) }

    package var properties: [String: BusValue] {
        var values: [String: BusValue] = ["mpris:trackid": .objectPath(id)]
        values["mpris:length"] = duration.map { .int64(microseconds($0)) }
        values["mpris:artUrl"] = artURL.map { .string($0) }
        values["xesam:url"] = url.map { .string($0) }
        values["xesam:title"] = text(title)
        values["xesam:album"] = text(album)
        values["xesam:contentCreated"] = text(date)
        values["xesam:artist"] = list(artists)
        values["xesam:albumArtist"] = list(albumArtists)
        values["xesam:composer"] = list(composers)
        values["xesam:genre"] = list(genres)
        values["xesam:comment"] = list(comments)
        values["xesam:trackNumber"] = trackNumber.map { .int32(Int32(clamping: $0)) }
        values["xesam:discNumber"] = discNumber.map { .int32(Int32(clamping: $0)) }
        return values
    }

    private func text(_ text: String?) -> BusValue? { text.flatMap { $0.isEmpty ? nil : .string(clipped($0)) } }

    private func list(_ texts: [String]) -> BusValue? {
        texts.isEmpty ? nil : .strings(texts.prefix(Self.valueLimit).map(clipped))
    }

    /// The metadata where there is no track.
    package static let none = TrackMetadata(id: ObjectPath(known: "/org/mpris/MediaPlayer2/TrackList/NoTrack"))
}

/// Seconds as MPRIS counts them, saturating.
package func microseconds(_ seconds: Double) -> Int64 { Int64(saturating: (seconds * 1_000_000).rounded()) }

/// MPRIS's microseconds as seconds.
package func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1_000_000 }
