import AudioTypes

/// Rings when subtitles change, within the second that the display waits for anyway.
@MainActor
struct SubtitleTimer {
    private var due: MediaTime?
    private var task: Task<Void, Never>?

    /// Later changes are seen when the display is drawn before them.
    private static let reach = 1.5

    /// Sets it for a time of the item, in place of the time before; `nil` for none.
    mutating func set(
        for next: MediaTime?,
        now: MediaTime,
        rate: Double,
        _ ring: @escaping @Sendable () -> Void
    ) {
        let wait = next.map { ($0 - now).seconds / max(rate, 0.01) }
        let wanted = wait.map { $0 <= Self.reach } == true ? next : nil
        guard wanted != due else { return }
        task?.cancel()
        (task, due) = (nil, wanted)
        guard wanted != nil, let wait else { return }
        task = Task {
            // A little later than due, so that the time has come for certain.
            try? await Task.sleep(for: .seconds(saturating: max(0, wait) + 0.005))
            if !Task.isCancelled { ring() }
        }
    }
}
