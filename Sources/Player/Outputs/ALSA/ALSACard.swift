internal import CALSA
private import Glibc

/// A playback device of a sound card, or the usual device.
package struct ALSACard: Sendable, Hashable {
    /// The name that `device` and `--output alsa:` take, such as `hw:CARD=DAC,DEV=0`.
    package var device: String
    package var description: String
    /// The formats that it takes without converting; empty while another program has it.
    package var formats: String
    /// The program that has it.
    package var holder: String?

    /// The port that it plays through, as AVAudioSession.Port names it.
    package var portType: String {
        let words = description.lowercased()
        if words.contains("usb") { return PortType.usbAudio.rawValue }
        return (words.contains("hdmi") ? PortType.hdmi : .lineOut).rawValue
    }

    /// Devices of one machine that are listed at most.
    private static let limit = 64

    /// All playback devices of the machine's cards, the usual one first.
    ///
    /// Blocks: opens each.
    package static func all() -> [ALSACard] {
        segue_alsa_quieten()
        var found: [ALSACard] = []
        if let usual = try? ALSADevice(ALSAOutput.usualDevice) {
            found.append(
                ALSACard(
                    device: ALSAOutput.usualDevice,
                    description: "ALSA's default device",
                    formats: usual.capabilities.text
                )
            )
        }
        var card: Int32 = -1
        while unsafe snd_card_next(&card) == 0, card >= 0, found.count < limit { found += devices(of: card) }
        return found
    }

    /// Whether the machine has a card that can play, or a default device of another kind.
    ///
    /// Blocks.
    package static var isAny: Bool { !all().isEmpty }

    private static func devices(of card: Int32) -> [ALSACard] {
        var control: OpaquePointer?
        guard unsafe snd_ctl_open(&control, "hw:\(card)", 0) == 0 else { return [] }
        defer { unsafe snd_ctl_close(control) }
        var info: OpaquePointer?
        unsafe snd_ctl_card_info_malloc(&info)
        defer { unsafe snd_ctl_card_info_free(info) }
        guard unsafe snd_ctl_card_info(control, info) == 0 else { return [] }
        let id = unsafe text(snd_ctl_card_info_get_id(info))
        let name = unsafe text(snd_ctl_card_info_get_name(info))
        var devices: [ALSACard] = []
        var number: Int32 = -1
        while unsafe snd_ctl_pcm_next_device(control, &number) == 0, number >= 0, devices.count < limit {
            guard let pcm = unsafe playbackName(of: number, control) else { continue }
            devices.append(describe("hw:CARD=\(id),DEV=\(number)", "\(name), \(pcm)"))
        }
        return devices
    }

    /// A device's name; `nil` for one that only records.
    private static func playbackName(of number: Int32, _ control: OpaquePointer?) -> String? {
        var info: OpaquePointer?
        unsafe snd_pcm_info_malloc(&info)
        defer { unsafe snd_pcm_info_free(info) }
        unsafe snd_pcm_info_set_device(info, UInt32(number))
        unsafe snd_pcm_info_set_stream(info, SND_PCM_STREAM_PLAYBACK)
        guard unsafe snd_ctl_pcm_info(control, info) == 0 else { return nil }
        return unsafe text(snd_pcm_info_get_name(info))
    }

    private static func describe(_ device: String, _ description: String) -> ALSACard {
        do throws(ALSAError) {
            let open = try ALSADevice(device)
            return ALSACard(device: device, description: description, formats: open.capabilities.text)
        } catch {
            var card = ALSACard(device: device, description: description, formats: "")
            if case .busy(_, let holder) = error { card.holder = holder ?? "another program" }
            return card
        }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }
}
