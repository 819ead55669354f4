package import LibraryIndex

/// A client's wish, as PhotosUI's `PHPickerConfiguration` has it: the kinds of pictures, and how many.
package struct PickerConfiguration: Sendable, Hashable {
    package let filter: MediaFilter
    /// How many may be picked, 1 to ``mostItems``.
    package let limit: Int
    /// Whether the order of the pictures matters to the client.
    package let isOrdered: Bool
    /// The client's own words to the owner.
    package let prompt: PickerPrompt

    /// The media that the owner is shown: pictures that match.
    package var choice: MediaFilter { .all([.images, filter]) }

    package static let mostItems = 1_000
    /// Pictures but for albums' covers.
    package static let usualFilter = MediaFilter.all([.images, .not(.kind(.covers))])

    /// - Parameter limit: 0 stands for as many as one request can have.
    /// - Returns: `nil` when the limit is out of range, or when the filter names videos, which cannot be picked.
    package init?(
        filter: MediaFilter = usualFilter,
        limit: Int = 1,
        isOrdered: Bool = false,
        prompt: PickerPrompt = PickerPrompt()
    ) {
        guard (0...Self.mostItems).contains(limit), !filter.names(.videos) else { return nil }
        (self.filter, self.isOrdered, self.prompt) = (filter, isOrdered, prompt)
        self.limit = limit == 0 ? Self.mostItems : limit
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
