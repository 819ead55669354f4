import AudioTypes
import Segments

@testable import DASH

/// Gives any bytes to what makes playlists of manifests, at two moments, and to what reads indexes of segments.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    _ = try? SegmentIndex(input, at: 1_000)
    guard let manifest = try? ManifestParser.parse(input, url: "http://h/d/m.mpd"),
        let period = manifest.periods.first(where: { !$0.representations.isEmpty })
    else { return 0 }
    let choice = SoundChoice(period, selection: .language("en"))
    guard let ladder = try? choice.ladder(of: period, limit: 100_000) else { return 0 }
    var numbers = SequenceNumbers()
    for now in [nil, 1e4, 1.7e9] as [Double?] {
        let timetable = Timetable(manifest: manifest, now: now)
        let step = ladder.steps[ladder.ceiling]
        guard let list = try? timetable.playlist(of: step, choice, base: "http://h/d/", numbers: &numbers) else {
            continue
        }
        precondition((0.5...3600).contains(list.targetDuration))
        precondition(list.duration >= 0 && list.duration.isFinite)
        for segment in list.segments { precondition(segment.byteRange.map { $0.end >= $0.offset } != false) }
    }
    return 0
}

/// The program's beginning, which libFuzzer's library leaves to us because the package manager names `main` itself.
@_cdecl("fuzz_dash_main")
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
