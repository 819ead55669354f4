internal import AudioTypes
internal import HTTP

/// Playlists whose locations have expired: whoever pauses for a night comes back with yesterday's tokens.
extension SegmentSession {
    /// Fetches the playlists of a presentation with an end anew, once in a while; its places stay.
    func refresh() throws(SegmentError) {
        guard HostTime.now - refreshed > freshness else { return }
        refreshed = .now
        try refreshLadder()
        switch Result(catching: { () throws(SegmentError) in try playlists.playlist(of: ladder.steps[step]) }) {
        case .success(let found):
            guard !found.playlist.isLive, !found.playlist.segments.isEmpty else { return }
            _ = plan.change(to: found.playlist, from: readUntil)
            playlistURL = found.url
            // It is asked for where it is now.
            dropReading()
        case .failure(let error):
            if error.isInterrupted { throw error }
            report(error, url: playlistURL ?? "")
        }
    }

    /// Fetches anew what names the playlists; if it names others now, the one that is most like ours is wanted.
    func refreshLadder() throws(SegmentError) {
        switch Result(catching: { () throws(SegmentError) in try playlists.refresh() }) {
        case .success(let ladder):
            guard let ladder else { return }
            let bandwidth = self.ladder.steps[step].bandwidth
            use(ladder, step: ladder.steps.lastIndex { $0.bandwidth <= bandwidth } ?? 0)
            wantedStep = presentation.isLive ? step : nil
        case .failure(let error):
            if error.isInterrupted { throw error }
            report(error, url: playlists.address(of: ladder.steps[step]))
        }
    }
}
