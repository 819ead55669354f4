import AudioTypes
import FFmpeg
import HTTP
import Threads

/// Probes a medium; an error's description is one line that names the medium.
func probeMedia(_ location: String, _ options: HTTPOptions) throws -> MediaInfo {
    let entry = MediaEntry(location: location)
    guard entry.isURL, entry.filePath == nil else { return try MediaProbe.probe(location) }
    var stream = StreamContext()
    stream.options.http = options
    // A probe does not wait for a connection to recover.
    stream.options.reconnectLimit = 0
    do {
        let reader = try MediaReader.open(entry, interrupt: Interrupt(), stream: stream)
        return reader.info
    } catch let error as MediaError where error.reason == .noAudio {
        return try MediaProbe.probe(location)
    }
}
