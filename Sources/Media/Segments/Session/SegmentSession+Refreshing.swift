internal import AudioTypes
internal import HTTP

/// Playlists whose locations have expired: after a night's pause the tokens are yesterday's.
extension SegmentSession {
    /// Refetches the playlists of a presentation with an end, once in a while; its times stay.
    func refresh() throws(SegmentError) {
        guard HostTime.now - refreshed > freshness else { return }
        refreshed = .now
        try refreshLadder()
        switch Result(catching: { () throws(SegmentError) in try playlists.playlist(of: ladder.steps[step]) }) {
        case .success(let found):
            guard !found.playlist.isLive, !found.playlist.segments.isEmpty else { return }
            _ = plan.change(to: found.playlist, from: readUntil)
            playlistURL = found.url
            // The segment is requested at its new location.
            dropReading()
            dropAhead()
        case .failure(let error):
            if error.isInterrupted { throw error }
            report(error, url: playlistURL ?? "")
        }
    }

    /// Refetches the list of playlists; if it has changed, the playlist most like the current one is wanted.
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
