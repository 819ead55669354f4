import AudioTypes
import TimedText

/// Gives any bytes to the readers of subtitles and lyrics, of files and of packets; the first byte chooses.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = input.dropFirst()
    let formats = TimedTextFormat.allCases
    let codecs: [SubtitleCodec] = [.subRip, .timedSubRip, .webVTT, .ass, .ssa, .movText, .text]
    check(formats[Int(choice) % formats.count].read(Array(bytes)))
    _ = codecs[Int(choice) % codecs.count].text(of: bytes)
    if let lyrics = Lyrics(lrc: bytes) {
        precondition((1...Lyrics.lineLimit).contains(lyrics.lines.count))
        let times = lyrics.lines.compactMap(\.time)
        precondition(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        _ = lyrics.part(from: MediaTime(seconds: 1), to: MediaTime(seconds: 9))
    }
    return 0
}

private func check(_ track: TextTrack) {
    precondition(track.cues.count <= TextTrack.cueLimit)
    precondition(zip(track.cues, track.cues.dropFirst()).allSatisfy { $0.start <= $1.start })
    for cue in track.cues.prefix(100) {
        precondition(cue.end > cue.start)
        let shown = track.shown(at: cue.start)
        precondition(shown.cues.count <= TextTrack.shownLimit)
        if let next = shown.nextChange { precondition(next > cue.start) }
    }
}

/// The program's beginning, which libFuzzer's library leaves to us because the package manager names `main` itself.
@_cdecl("fuzz_timedtext_main")
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
