import AudioTypes
import MediaHeaders
import PictureValues
import Songs
import TimedText

/// Gives any bytes to the readers of media files' headers, and checks that what they find is within bounds.
///
/// The first byte chooses the name that the file goes by.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let content = Array(input.dropFirst())
    let names = ["a.mp3", "a.flac", "a.jpg", "a"]
    var file = ScannedFile(uri: names[Int(choice) % names.count], size: content.count, modified: 0, inode: 0)
    var reader = HeaderReader()
    if let picture = reader.picture(content) {
        precondition(picture.shownSize.pixelCount > 0 && (picture.colourSpace?.name.utf8.count ?? 0) <= 64)
    }
    let result = reader.read(content, into: &file)
    var bytes = 0
    for (tag, value) in file.tags {
        precondition(!value.isEmpty && value.utf8.count <= 3 * 8192, "a value is empty or too long")
        precondition(!value.utf8.contains { $0 < 0x20 }, "a value holds control characters")
        if tag == .track, value.utf8.first.map({ (0x30...0x39).contains($0) }) == true, let number = Int(value) {
            precondition(String(number) == value, "a number with something before or behind it")
        }
        bytes += value.utf8.count
    }
    precondition(file.tags.count <= 2000 && bytes <= 4 * 1_048_576, "too many tags")
    precondition(file.cueSheet.map { $0.utf8.count <= 3 * 262_144 } ?? true)
    if let duration = file.duration { precondition(duration.isFinite && duration >= 0) }
    if let rate = file.bitRate { precondition(rate > 0) }
    if let id = file.portableID { precondition(id.utf8.count == 32) }
    if let orientation = file.orientation { precondition((1...8).contains(orientation)) }
    precondition(result != .unknown || (file.duration == nil && file.format == nil))
    var stored = TagReader(content)
    let words = stored.comments(ofID3: true) ?? []
    precondition(words.reduce(0) { $0 + $1.1.utf8.count } <= 3 * content.count, "more words than there are bytes")
    precondition(stored.id3v2Picture().map { $0.bytes.count < content.count } ?? true)
    precondition(stored.embeddedPicture().map { $0.bytes.count < content.count } ?? true)
    _ = stored.id3v2Volumes()
    _ = stored.tailGain()
    precondition(stored.lyrics().map { $0.lines.count <= 10_000 } ?? true, "too many lines of lyrics")
    readForPlaying(content)
    // The same bytes are the same file.
    var again = ScannedFile(uri: file.uri, size: content.count, modified: 0, inode: 0)
    precondition(reader.read(content, into: &again) == result && again.portableID == file.portableID)
    precondition(again.duration == file.duration && again.tags.count == file.tags.count)
    return 0
}

/// Gives the bytes to what reads them beside a demuxer, as those of a local file and as those of one on the network.
private func readForPlaying(_ content: [UInt8]) {
    for isLocal in [true, false] {
        let access = Bytes(content, isLocal: isLocal)
        var tags = Tags()
        StoredTags(of: access).replace(in: &tags)
        if let count = SoundExtent(of: access)?.sampleCount { precondition(count >= 0) }
        for place in content.indices.prefix(2_048) where content[place] == 0xff && place + 4 <= content.count {
            let bits = content[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
            guard let header = MPEGAudioHeader(bits: bits), header.layer == 3 else { continue }
            let sound = MPEGSound(of: access, at: place, header, head: Array(content[place...].prefix(4_096)))
            precondition(sound.startPadding >= 0 && sound.length ?? 0 >= 0 && sound.frameCount ?? 0 >= 0)
            break
        }
        var losses = OggLosses(of: access, in: 0..<content.count)
        for place in content.indices.dropLast(4) where content[place..<place + 4].elementsEqual("OggS".utf8) {
            precondition(losses.record(packetAt: place) >= 0)
        }
        precondition(losses.end().packets >= 0)
    }
}

/// A file that is held in memory.
private final class Bytes: ByteAccess {
    private let content: [UInt8]
    let isLocal: Bool
    var size: Int { content.count }

    init(_ content: [UInt8], isLocal: Bool) {
        self.content = content
        self.isLocal = isLocal
    }

    func read(into bytes: inout [UInt8], count: Int, at offset: Int) -> Int {
        guard (0..<size).contains(offset) else { return 0 }
        let found = content[offset...].prefix(count)
        bytes.replaceSubrange(..<found.count, with: found)
        return found.count
    }

    func seconds(toRead count: Int) -> Double { 0 }
}

/// The program's beginning, which libFuzzer's library leaves to us because the package manager names `main` itself.
@_cdecl("fuzz_headers_main")
func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var (count, arguments) = unsafe (count, arguments)
    return unsafe runDriver(&count, &arguments, fuzzOneInput)
}

/// `LLVMFuzzerRunDriver` of FuzzerInterface.h; words and pointers are passed alike in C and Swift.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ fuzz: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
