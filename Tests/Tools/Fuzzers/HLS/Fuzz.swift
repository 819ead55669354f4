import HLS
import Segments

/// Gives any bytes to what reads playlists of HTTP Live Streaming, with a URL and variables that they may use.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    _ = HLSDocument.isPlaylist(input)
    switch try? HLSDocument.parse(input, url: "http://h/l.m3u8?token=a%20b&x", defined: ["host": "http://h"]) {
    case .master(let master):
        precondition(!master.variants.isEmpty)
        precondition(master.variants.allSatisfy { $0.bandwidth >= 0 })
    case .media(let media):
        check(media)
    case nil: break
    }
    return 0
}

private func check(_ playlist: MediaPlaylist) {
    precondition((0.5...3600).contains(playlist.targetDuration))
    precondition(playlist.endSequence >= playlist.mediaSequence)
    precondition(playlist.duration >= 0 && playlist.duration.isFinite)
    for segment in playlist.segments {
        precondition(segment.duration >= 0 && segment.duration < 1e9)
        if let range = segment.byteRange { precondition(range.end >= range.offset) }
        if let range = segment.map?.byteRange { precondition(range.end >= range.offset) }
        if case .aes128(_, let iv) = segment.encryption { precondition(iv.count == 16) }
    }
}

/// The program's beginning, which libFuzzer's library leaves to us because the package manager names `main` itself.
@_cdecl("fuzz_hls_main")
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
