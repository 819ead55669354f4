import AudioTypes
import MediaHeaders
import Pictures
import Songs

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
    // The same bytes are the same file.
    var again = ScannedFile(uri: file.uri, size: content.count, modified: 0, inode: 0)
    precondition(reader.read(content, into: &again) == result && again.portableID == file.portableID)
    precondition(again.duration == file.duration && again.tags.count == file.tags.count)
    return 0
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
