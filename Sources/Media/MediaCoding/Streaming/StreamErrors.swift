internal import AudioTypes
internal import CFFmpeg
internal import CivilTime
internal import FFmpegValues
internal import Files
private import Glibc
internal import HTTP
internal import Segments
internal import Threads

extension Error {
    /// The network error behind this one; `nil` when there is none.
    var networkFailure: HTTPError? {
        switch self {
        case let error as HTTPError: error
        case let error as SegmentError: error.httpError
        case let error as FFmpegError: error.networkFailure
        case let error as MediaError:
            switch error.reason {
            case .network(let error): error
            case .streaming(let error): error.httpError
            case .inaccessible(let error): error.networkFailure
            default: nil
            }
        default: nil
        }
    }
}

extension FFmpegError {
    /// The network errors of libavformat's own protocols.
    fileprivate var networkFailure: HTTPError? {
        switch -code {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN: HTTPError(.connecting(code: -code))
        case ECONNRESET, EPIPE, ENOTCONN, ECONNABORTED: HTTPError(.reset(code: -code))
        case ETIMEDOUT: HTTPError(.unanswered)
        case EIO: HTTPError(.closedEarly)
        default: nil
        }
    }
}

extension StreamCore {
    /// The error for the player, naming the medium.
    func mediaError(_ error: any Error) -> any Error {
        switch error {
        case let error as HTTPError: MediaError(location: entry.location, reason: .network(error))
        case let error as SegmentError: MediaError(location: entry.location, reason: .streaming(error))
        // Without a request to interrupt, it has failed.
        case let error as FFmpegError where error.isInterruption:
            MediaError(location: entry.location, reason: .inaccessible(error))
        default: error
        }
    }

    /// Waits as the policy requires, and reports it.
    ///
    /// - Throws: The error, when it is not to be retried.
    func waitToRetry(_ error: HTTPError, _ healing: inout Reconnection, isLive: Bool) throws {
        let now = HostTime.now
        switch healing.failed(error, isLive: isLive, now: now, random: .random(in: 0...1)) {
        case .giveUp: throw error
        case .retry(let next):
            let wait = StreamStatus.Reconnecting(
                reason: error.comment,
                attempt: healing.attempt,
                next: next,
                since: healing.since ?? now
            )
            update { $0.connection = .reconnecting(wait) }
            try sleep(until: next)
            healing.began(now: .now)
        }
    }

    /// Waits; throws when the interrupt is raised.
    func sleep(until time: HostTime) throws(FFmpegError) {
        while !interrupt.isRaised {
            guard Readiness.readable(interrupt.descriptor).wait(until: time) else { return }
        }
        throw FFmpegError(code: segue_AVERROR_EXIT, operation: "cannot continue reading")
    }
}

extension StreamFailure {
    /// An error log row for a recording that ended before the stream.
    init(ofRecording error: FFmpegError, at path: String) {
        self.init(of: error, at: path, isFinal: true)
        domain = "recording"
    }

    /// An error log row for invalid data.
    init(of error: any Error, at location: String, isFinal: Bool) {
        let comment = (error as? MediaError).map { "\($0.reason)" } ?? "\(error)"
        self.init(
            date: wallClock(),
            uri: MediaError.display(location),
            domain: error.networkFailure?.domain ?? "media",
            comment: comment,
            isFinal: isFinal
        )
    }
}
