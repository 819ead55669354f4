/// How far an announcement is.
package enum AnnouncementState: Sendable, Hashable {
    case queued
    case playing
    /// Its last sample has been heard, wherever it was to be.
    case done
    /// Why, in one line.
    case failed(String)
    case cancelled
    case expired

    /// Whether it stays so.
    package var isFinal: Bool {
        switch self {
        case .queued, .playing: false
        case .done, .failed, .cancelled, .expired: true
        }
    }

    /// The word that clients see.
    package var name: String {
        switch self {
        case .queued: "queued"
        case .playing: "playing"
        case .done: "done"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .expired: "expired"
        }
    }

    /// Why it failed.
    package var error: String? {
        guard case .failed(let text) = self else { return nil }
        return text
    }
}

extension AnnouncementState {
    /// The state of a whole by those of its parts.
    ///
    /// It is done only when all parts are; else the worst that befell one of them counts.
    init(ofParts parts: some Collection<AnnouncementState>) {
        guard parts.allSatisfy(\.isFinal) else {
            self = parts.allSatisfy { $0 == .queued } ? .queued : .playing
            return
        }
        if parts.contains(.cancelled) {
            self = .cancelled
        } else if let failure = parts.first(where: { $0.error != nil }) {
            self = failure
        } else {
            self = parts.contains(.expired) ? .expired : .done
        }
    }
}

/// An announcement and how far it is.
package struct AnnouncementReport: Sendable, Hashable {
    package let announcement: Announcement
    package let state: AnnouncementState
}
