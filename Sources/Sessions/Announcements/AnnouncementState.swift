/// The state of an announcement.
package enum AnnouncementState: Sendable, Hashable {
    case queued
    case playing
    /// It played to its last sample everywhere.
    case done
    /// The reason, in one line.
    case failed(String)
    case cancelled
    case expired

    /// Whether the state is final.
    package var isFinal: Bool {
        switch self {
        case .queued, .playing: false
        case .done, .failed, .cancelled, .expired: true
        }
    }

    /// The name that clients see.
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

    /// The reason of a failure.
    package var error: String? {
        guard case .failed(let text) = self else { return nil }
        return text
    }
}

extension AnnouncementState {
    /// The state of an announcement, from those of its parts.
    ///
    /// It is done only when all parts are; else the worst outcome counts.
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

/// An announcement and its state.
package struct AnnouncementReport: Sendable, Hashable {
    package let announcement: Announcement
    package let state: AnnouncementState
}
