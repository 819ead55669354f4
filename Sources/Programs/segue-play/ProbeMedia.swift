import AudioTypes
import FFmpeg
import Files
import Foreground
import HTTP
import MediaHeaders
import Pictures
import Threads

/// Examines a file or URL; an error's description is one line that names it.
func probe(_ location: String, _ options: HTTPOptions) throws -> ProbeReport.Contents {
    let entry = MediaEntry(location: location)
    if let path = entry.filePath, let picture = picture(at: path) { return .picture(picture) }
    guard entry.isURL, entry.filePath == nil else { return .medium(try MediaProbe.describe(location)) }
    var stream = StreamContext()
    stream.options.http = options
    // A probe does not wait for a connection to recover.
    stream.options.reconnectLimit = 0
    do {
        let reader = try MediaReader.open(entry, interrupt: Interrupt(), stream: stream)
        return .medium(reader.info)
    } catch let error as MediaError where error.reason == .noAudio {
        return .medium(try MediaProbe.probe(location))
    }
}

/// The header of a file that is a picture; its pixels are not decoded.
private func picture(at path: FilePath) -> PictureHeader? {
    guard let status = try? FileStatus(of: path), status.kind == .file, let file = try? Descriptor(path, .reading)
    else {
        return nil
    }
    var reader = HeaderReader()
    return reader.picture(file.number, size: status.size)
}
