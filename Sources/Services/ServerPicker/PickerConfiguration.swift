package import LibraryIndex
package import SongFilters

/// A client's wish, as PhotosUI's `PHPickerConfiguration` has it: what is picked, how much of it, and what for.
package struct PickerConfiguration: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Pictures, videos or both that match a filter; without one, all but albums' covers.
        case media(Media, MediaFilter?)
        /// Songs that match an expression; all of them without one.
        case songs(SongExpression?)
    }

    package enum Media: String, Sendable, Hashable, CaseIterable {
        case pictures, videos
        /// Pictures and videos.
        case media
    }

    /// The form in which pictures are given, as `PHPickerConfiguration.AssetRepresentationMode` has it.
    package enum Representation: String, Sendable, Hashable, CaseIterable {
        /// As JPEG, which every program shows.
        case compatible
        /// As they are stored, where what else their files tell can be hidden; else as JPEG.
        case current
    }

    package enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// The client gets what is picked, until its request ends.
        case once
        /// The client's limited library has what is picked, from then on.
        case extend
    }

    package let kind: Kind
    package let purpose: Purpose
    package let representation: Representation
    /// How many may be picked, 1 to ``mostItems``.
    package let limit: Int
    /// Whether their order matters to the client.
    package let isOrdered: Bool
    /// Whether the request belongs to the client, and not to the connection that makes it, and outlives this.
    package let isLasting: Bool
    /// Whether the client gets what is chosen while the owner still chooses.
    package let isContinuous: Bool
    /// The items that are chosen before the owner begins, which the client was given for an earlier request; they may be more
    /// than ``limit``.
    package let preselected: [AssetIdentifier]
    /// The client's own words to the owner.
    package let prompt: PickerPrompt

    package static let mostItems = 1_000
    /// - Parameter limit: 0 stands for as many as one request can have.
    package init(
        _ kind: Kind = .media(.pictures, nil),
        _ purpose: Purpose = .once,
        _ representation: Representation = .compatible,
        limit: Int = 1,
        isOrdered: Bool = false,
        isLasting: Bool = false,
        isContinuous: Bool = false,
        preselected: [AssetIdentifier] = [],
        prompt: PickerPrompt = PickerPrompt()
    ) throws(PickerError) {
        guard (0...Self.mostItems).contains(limit) else { throw .limitOutOfRange }
        guard preselected.isEmpty || purpose == .once else { throw .notForLibraries("preselected") }
        guard !isContinuous || purpose == .once else { throw .notForLibraries("continuous") }
        guard preselected.count <= Self.mostItems else { throw .tooManyPreselected }
        // Each once, in their order.
        var known: Set<AssetIdentifier> = []
        self.preselected = preselected.filter { known.insert($0).inserted }
        if case .media(let media, let filter) = kind {
            guard media != .pictures || filter?.names(.videos) != true else { throw .noVideosAmongPictures }
            guard purpose == .once else { throw .onlySongsExtend }
        }
        (self.kind, self.purpose, self.isOrdered, self.isLasting) = (kind, purpose, isOrdered, isLasting)
        (self.isContinuous, self.prompt) = (isContinuous, prompt)
        self.representation = representation
        self.limit = limit == 0 ? Self.mostItems : limit
    }
}

extension PickerConfiguration.Kind {
    /// A word for clients.
    package var name: String {
        switch self {
        case .media(let media, _): media.rawValue
        case .songs: "songs"
        }
    }

    /// One of them, for people.
    package var singular: String {
        switch self {
        case .media(.pictures, _): "picture"
        case .media(.videos, _): "video"
        case .media(.media, _): "picture or video"
        case .songs: "song"
        }
    }

    /// Several of them, for people.
    package var plural: String {
        switch self {
        case .media(.media, _): "pictures and videos"
        case .media, .songs: "\(singular)s"
        }
    }

    /// Words that stand for kinds on the wire.
    package static let names = PickerConfiguration.Media.allCases.map(\.rawValue) + ["songs"]
}

extension PickerConfiguration.Media {
    /// The media that the owner is shown, of those that match a filter: a Live Photo as its picture alone, unless the filter
    /// names the videos of Live Photos.
    ///
    /// - Parameter filter: The client's; `nil` where it has given none.
    package func filter(_ filter: MediaFilter?) -> MediaFilter {
        let filter = filter ?? .not(.kind(.covers))
        let films: [MediaFilter] = filter.names(.livePhotoVideos) ? [] : [.not(.kind(.livePhotoVideos))]
        return switch self {
        case .pictures: .all([.images, filter])
        case .videos: .all([.videos] + films + [filter])
        case .media: .all(films + [filter])
        }
    }
}

/// A client's words to the owner: one line that shows as it is written.
package struct PickerPrompt: Sendable, Hashable {
    package let text: String

    /// In bytes.
    package static let longest = 200

    package init() { text = "" }

    /// - Returns: `nil` for a text that is too long, or with characters that change how others are shown.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longest, text.unicodeScalars.allSatisfy(Self.isPlain) else { return nil }
        self.text = text
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        // A joiner is a part of emoji and of some scripts; the others turn the direction of text, or are invisible.
        case .format: scalar == "\u{200d}" || scalar == "\u{200c}"
        default: true
        }
    }
}
