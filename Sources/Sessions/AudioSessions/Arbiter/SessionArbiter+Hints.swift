extension SessionArbiter {
    /// The now-playing session: of the sessions of zones and clients that do not mix, the one that started to play
    /// last.
    package var nowPlaying: SessionID? { played.elected(in: table) }

    /// Whether any other session makes sound.
    package func isOtherAudioPlaying(for id: SessionID) -> Bool {
        hasOthers(index[.playing], than: id)
    }

    /// Whether another session that does not mix makes sound.
    package func secondaryAudioShouldBeSilenced(for id: SessionID) -> Bool {
        hasOthers(index[.primary], than: id)
    }

    /// The session whose recording silences others of a class; `nil` while none does.
    package func recorder(silencing sessionClass: SessionClass) -> SessionID? {
        sessionClass < .alarm ? index[.silencing].min() : nil
    }

    /// How verbose a session's prompts may be.
    package func promptStyle(for id: SessionID) -> PromptStyle {
        if hasOthers(index[.recording], than: id) { return .none }
        let isInConversation = index[.system].contains {
            table[$0]?.sessionClass == .call || table[$0]?.sessionClass == .assistant
        }
        return isInConversation ? .short : .normal
    }

    private func hasOthers(_ ids: Set<SessionID>, than id: SessionID) -> Bool {
        ids.count > (ids.contains(id) ? 1 : 0)
    }

    /// Records the style for a new session, or one with a new mode; changes from now on are reported.
    mutating func recordPromptStyle(of id: SessionID) {
        let style = promptStyle(for: id)
        table[id]?.promptStyle = style
    }

    mutating func settlePrompts() {
        guard promptsChanged else { return }
        promptsChanged = false
        for id in index[.prompting].sorted() {
            let style = promptStyle(for: id)
            guard style != table[id]?.promptStyle else { continue }
            table[id]?.promptStyle = style
            notice(id, .promptStyleChanged(style))
        }
    }

    /// Notifies active foreground sessions of the start or end of others' primary audio.
    mutating func settleHints(primariesBefore before: Set<SessionID>) {
        let after = index[.primary]
        guard before != after, before.count < 2 || after.count < 2 else { return }
        let concerned = before.isEmpty != after.isEmpty ? index[.hinted] : before.union(after)
        for id in concerned.sorted() where index[.hinted].contains(id) {
            let was = hasOthers(before, than: id)
            let isNow = hasOthers(after, than: id)
            guard was != isNow, let session = table[id], session.activatedOrder < order else { continue }
            notice(id, isNow ? .hintBegan : .hintEnded)
        }
    }
}
