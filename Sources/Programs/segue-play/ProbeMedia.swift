import AudioTypes
import Charsets
import Files
import Foreground
import HTTP
import MediaCoding
import MediaHeaders
import PictureValues
import Threads

/// Examines a file or URL; an error's description is one line that names it.
func probe(_ location: String, _ options: HTTPOptions, _ charset: Charset?) throws -> ProbeReport.Contents {
    let entry = MediaEntry(location: location)
    if let path = entry.filePath, let picture = picture(at: path) { return .picture(picture) }
    guard entry.isURL, entry.filePath == nil else {
        return .medium(try MediaProbe.describe(location, charset: charset))
    }
    var stream = StreamContext()
    stream.options.http = options
    stream.options.charsets = CharsetRules(everywhere: charset)
    // A probe does not wait for a connection to recover.
    stream.options.reconnectLimit = 0
    do {
        let reader = try MediaReader.open(entry, interrupt: Interrupt(), stream: stream)
        return .medium(reader.info)
    } catch let error as MediaError {
        if let picture = picture(at: location, options) { return .picture(picture) }
        guard error.reason == .noAudio else { throw error }
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

/// The most that is fetched of a picture, in bytes: more than headers take, with what cameras put before them.
private let headerLimit = 1 << 20

/// The header of a picture on the network, of which only the beginning is fetched.
private func picture(at url: String, _ options: HTTPOptions) -> PictureHeader? {
    guard url.lowercased().hasPrefix("http") else { return nil }
    let client = HTTPClient(options, interrupt: Interrupt()) { _ in }
    guard let transfer = try? client.open(url) else { return nil }
    defer { transfer.cancel() }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < headerLimit {
        let got = unsafe piece.withUnsafeMutableBytes { unsafe try? transfer.read(into: $0) }
        guard let got, got > 0 else { break }
        bytes += piece[..<got]
        // A file that is no picture is not fetched any further.
        guard PictureKind(head: Array(bytes.prefix(PictureKind.headLength))) != .other else { return nil }
    }
    var reader = HeaderReader()
    return reader.picture(bytes)
}
