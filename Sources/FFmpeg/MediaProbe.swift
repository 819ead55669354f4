package import AudioTypes
internal import CFFmpeg
private import Glibc

/// Finds out what a medium contains.
package enum MediaProbe {
    /// Opens a medium and says what is in it, without deciding that it can be played.
    ///
    /// - Throws: `MediaError`.
    package static func probe(_ location: String, interrupt: Interrupt = Interrupt()) throws -> MediaInfo {
        let entry = MediaEntry(location: location)
        do {
            let reader = try MediaReader.open(entry, interrupt: interrupt)
            return reader.info
        } catch let error as MediaError where error.reason == .noAudio {
            return try open(entry, interrupt: interrupt, trimsByEditList: true).info()
        }
    }

    /// Opens a medium, with the system's own word for what prevents it.
    static func open(_ entry: MediaEntry, interrupt: Interrupt, trimsByEditList: Bool) throws -> Demuxer {
        func failure(_ reason: MediaError.Reason) -> MediaError { MediaError(location: entry.location, reason: reason) }
        if let path = entry.filePath {
            var status = stat()
            guard unsafe stat(path.cString, &status) == 0 else {
                throw failure(.inaccessible(FFmpegError(code: -errno, operation: "cannot open")))
            }
            if status.st_mode & S_IFMT == S_IFDIR { throw failure(.isDirectory) }
            if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 { throw failure(.isEmpty) }
        }
        do throws(FFmpegError) {
            return try Demuxer.open(entry, interrupt: interrupt, trimsByEditList: trimsByEditList)
        } catch {
            if error.isInterruption { throw error }
            // Demuxers also say EINVAL of data they cannot make sense of.
            let isNonsense = error.isInvalidData || error.code == segue_AVERROR_EOF || error.code == -EINVAL
            throw failure(isNonsense ? .notMedia(error) : .inaccessible(error))
        }
    }
}

extension Demuxer {
    /// The audio stream a selection means; `nil` when there is none.
    func audioStream(_ selection: AudioTrackSelection, in info: MediaInfo) -> Int? {
        let streams = info.audioStreams
        switch selection {
        case .automatic:
            return (streams.first { $0.dispositions.contains("default") } ?? streams.first)?.index
        case .number(let number):
            return streams.indices.contains(number - 1) ? streams[number - 1].index : nil
        case .language(let language):
            let wanted = language.lowercased()
            let match = streams.first { stream in
                guard let language = stream.language?.lowercased(), language.count >= 2 else { return false }
                return language == wanted
                    || (wanted.count >= 2 && (language.hasPrefix(wanted) || wanted.hasPrefix(language)))
            }
            return match?.index
        }
    }

    /// A container's duration without the encoder's delay, which Ogg counts in.
    func heardDuration(of stream: UnsafeMutablePointer<AVStream>, _ duration: MediaTime) -> MediaTime {
        guard container == "ogg", let parameters = unsafe stream.pointee.codecpar else { return duration }
        let delay = unsafe Double(parameters.pointee.initial_padding) / Double(parameters.pointee.sample_rate)
        return max(.zero, duration - MediaTime(seconds: delay))
    }

    /// A timestamp at or before every packet's.
    func firstTimestamp(of stream: UnsafeMutablePointer<AVStream>) -> Int64 {
        let start = unsafe stream.pointee.start_time
        let padding = unsafe Int64(stream.pointee.codecpar?.pointee.initial_padding ?? 0)
        let rate = unsafe stream.pointee.codecpar?.pointee.sample_rate ?? 1
        let base = unsafe stream.pointee.time_base
        let delay = av_rescale_q(padding, AVRational(num: 1, den: max(1, rate)), base)
        return (start == segue_AV_NOPTS_VALUE ? 0 : min(start, 0)) - delay
    }
}
