import Files

/// How sound can come out of this machine, as far as its files tell.
struct SoundSystem: Hashable {
    var hasPulseAudio = false
    var hasPipeWire = false
    /// Whether a sound server answers at another address.
    var hasOtherServer = false
    /// Playback devices of sound cards.
    var cards = 0

    init() {}

    /// - Parameters:
    ///   - runtime: The folder of the user's sockets.
    ///   - devices: Where the kernel makes the cards' device files.
    init(runtime: String?, devices: String = "/dev/snd") {
        if let runtime {
            hasPipeWire = fileExists("\(runtime)/pipewire-0")
            hasPulseAudio = fileExists("\(runtime)/pulse/native")
        }
        let names = (try? fileNames(in: devices)) ?? []
        cards = names.count { $0.hasPrefix("pcm") && $0.hasSuffix("p") }
    }

    var isNone: Bool { !hasPulseAudio && !hasPipeWire && !hasOtherServer && cards == 0 }

    var text: String {
        let devices = cards == 1 ? "1 device of ALSA" : "\(cards) devices of ALSA"
        // PipeWire has PulseAudio's socket too.
        let own = hasPipeWire ? "PipeWire" : hasPulseAudio ? "PulseAudio" : nil
        let server = own ?? (hasOtherServer ? "a sound server at an address of its own" : nil)
        guard let server else {
            return cards == 0 ? "no PulseAudio, no PipeWire, no sound card" : "ALSA only: \(devices)"
        }
        return cards == 0 ? server : "\(server), \(devices)"
    }
}
