import TestSupport
import Testing

@testable import ClientVerbs

/// Which of the three ways to play sound a machine has.
@Suite struct SoundSystemTests {
    @Test func cardsAndServersAreTold() throws {
        let folder = try TemporaryFolder()
        #expect(SoundSystem(runtime: folder.path, devices: folder.file("snd")).isNone)
        for name in ["controlC0", "pcmC0D0p", "pcmC0D0c", "pcmC1D0p"] {
            _ = try folder.makeFolder("snd")
            try folder.write("snd/\(name)", "")
        }
        #expect(SoundSystem(runtime: nil, devices: folder.file("snd")).text == "ALSA only: 2 devices of ALSA")
        _ = try folder.makeFolder("pulse")
        try folder.write("pulse/native", "")
        #expect(
            SoundSystem(runtime: folder.path, devices: folder.file("snd")).text == "PulseAudio, 2 devices of ALSA"
        )
        try folder.write("pipewire-0", "")
        #expect(SoundSystem(runtime: folder.path, devices: folder.file("none")).text == "PipeWire")
    }
}
