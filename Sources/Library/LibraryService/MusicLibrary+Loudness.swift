package import AudioTypes
internal import Files
internal import LibraryIndex
internal import LibraryScan
internal import LoudnessMeasuring
internal import MusicDirectories
internal import Threads

/// Measures how loud songs are, on the thread *segue-measure*, when durations are known.
///
/// It runs only while it is wanted (``MusicLibrary/setMeasuresLoudness(_:)``), one song at a time, and rests after each for as
/// long as that took of a processor: so it takes half of one at most, of what no other thread wants.
extension MusicLibrary {
    /// The known loudness of songs, for `LibraryStatus`.
    struct LoudnessState {
        /// Whether it is wanted.
        var isWanted = false
        /// Until it is known that no song is unmeasured.
        var mayHaveSongs = true
        /// The last song of this pass.
        var last = 0
        /// Results to be stored; they stay until they are counted as well.
        var results: [SongLoudness] = []
        /// `nil` until they were counted.
        var counts: LoudnessCounts?
    }

    /// After this many songs, or this much time, results are stored.
    private static let loudnessBatch = (songs: 200, time: Duration.seconds(60))

    /// Allows or forbids to measure loudness; a measurement that runs is stopped within a moment.
    package func setMeasuresLoudness(_ isWanted: Bool) {
        guard state.read({ $0.loudness.isWanted }) != isWanted else { return }
        state.change { state in
            state.loudness.isWanted = isWanted
            if !isWanted, state.measurement?.subject == .loudness { state.measurement?.cancel() }
        }
    }

    /// Starts to measure loudness, if there are songs without.
    func measureLoudness(_ library: Library) {
        do {
            let last = state.read(\.loudness.last)
            let songs = try library.reader.unmeasuredSongs(after: last, limit: Self.loudnessBatch.songs)
            let counts = try library.reader.loudnessCounts()
            state.change { $0.loudness.counts = counts }
            guard !songs.isEmpty else {
                state.change { $0.loudness.mayHaveSongs = false }
                return giveBackMemory()
            }
            let measurement = Measurement(.loudness)
            state.change { $0.measurement = measurement }
            report(.loudness)
            WorkThread.startWhenPossible(named: "segue-measure") {
                let (results, last) = self.loudness(of: songs, measurement)
                self.state.change { state in
                    state.loudness.results = results
                    if let last { state.loudness.last = last }
                    state.measurement = nil
                }
                if results.isEmpty { self.report(.loudness) }
            }
        } catch {
            state.change { $0.loudness.mayHaveSongs = false }
            handle(error)
        }
    }

    /// - Returns: Also the number of the last song that need not be tried again in this pass.
    private func loudness(of songs: [UnmeasuredSong], _ measurement: Measurement) -> ([SongLoudness], last: Int?) {
        runOnlyWhenIdle()
        let end = ContinuousClock.now + Self.loudnessBatch.time
        var results: [SongLoudness] = []
        var sounds: Set<String> = []
        var last: Int?
        for song in songs where !measurement.isCancelled && ContinuousClock.now < end {
            // Other files of a sound get its result.
            if !sounds.contains(song.sound) {
                let begun = threadProcessorSeconds()
                switch loudness(of: song, measurement) {
                case .measured(let loudness):
                    sounds.insert(song.sound)
                    results.append(SongLoudness(song, loudness))
                case .unmeasurable: results.append(SongLoudness(song, nil))
                case .isInterrupted where measurement.isCancelled: return (results, last)
                case .isInterrupted, nil: break
                }
                measurement.rest(seconds: threadProcessorSeconds() - begun)
            }
            last = song.number
        }
        return (results, last)
    }

    /// - Returns: `nil` when the file has changed, is gone or barred: the next scan says what it is.
    private func loudness(of song: UnmeasuredSong, _ measurement: Measurement) -> MeasuredLoudness? {
        func isTheSame() -> Bool {
            guard let status = try? options.music.state(of: song.uri) else { return false }
            return status.kind == .file && status.size == song.size && status.modified == song.modified
        }
        guard isTheSame(), let entry = try? options.music.fileEntry(song.uri) else { return nil }
        let result = marked(song.uri, size: song.size, modified: song.modified) {
            LoudnessMeasuring.measureLoudness(of: entry, interrupt: measurement.interrupt)
        }
        guard isTheSame() else { return nil }
        return result
    }

    /// Stores results.
    func keepLoudness(_ results: [SongLoudness], _ library: Library) {
        do {
            try library.writer.setLoudness(results)
            let counts = try library.reader.loudnessCounts()
            state.change { state in
                state.loudness.counts = counts
                state.loudness.results = []
            }
        } catch {
            // The next scan, or the next start, tries again.
            state.change { state in
                state.loudness.results = []
                state.loudness.mayHaveSongs = false
            }
            handle(error)
        }
        report(.loudness)
    }

    /// How loud a song is; `nil` when the library has no such file, or cannot be asked now.
    ///
    /// Blocks for a moment, on the disk of the index.
    package func measuredGain(_ uri: String) -> ReplayGain? {
        guard let library = state.read({ $0.failure == nil && !$0.isStopping ? $0.library : nil }) else { return nil }
        guard let facts = try? library.reader.loudness(uri), facts.source == .measured else { return nil }
        return facts.gain
    }
}
