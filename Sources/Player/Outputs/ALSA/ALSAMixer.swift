internal import AudioTypes
internal import CALSA
private import Glibc

/// A control of a card's mixer, as the volume of an output; used by one thread.
@safe
final class ALSAMixer {
    private let mixer: OpaquePointer
    private let element: OpaquePointer

    /// - Parameters:
    ///   - device: The PCM that is played to: `hw:CARD=DAC,DEV=0` has the mixer `hw:DAC`.
    ///   - control: A name such as `Master` or `PCM,1`, as `amixer scontrols` shows it.
    init?(of device: String, control: String) {
        var mixer: OpaquePointer?
        guard unsafe snd_mixer_open(&mixer, 0) == 0, let mixer = unsafe mixer else { return nil }
        let card = DeviceHolder.card(of: device).map { "hw:\($0)" } ?? device
        guard unsafe snd_mixer_attach(mixer, card) == 0, unsafe snd_mixer_selem_register(mixer, nil, nil) == 0,
            unsafe snd_mixer_load(mixer) == 0, let element = unsafe Self.find(control, in: mixer)
        else {
            unsafe snd_mixer_close(mixer)
            return nil
        }
        unsafe self.mixer = mixer
        unsafe self.element = element
    }

    deinit { unsafe snd_mixer_close(mixer) }

    private static func find(_ control: String, in mixer: OpaquePointer) -> OpaquePointer? {
        let parts = control.split(separator: ",")
        let index = parts.count > 1 ? parts.last.flatMap { UInt32($0) } : nil
        let name = index == nil ? control : parts.dropLast().joined(separator: ",")
        var id: OpaquePointer?
        unsafe snd_mixer_selem_id_malloc(&id)
        defer { unsafe snd_mixer_selem_id_free(id) }
        unsafe snd_mixer_selem_id_set_name(id, name)
        unsafe snd_mixer_selem_id_set_index(id, index ?? 0)
        let element = unsafe snd_mixer_find_selem(mixer, id)
        return unsafe element.flatMap { unsafe snd_mixer_selem_has_playback_volume($0) != 0 ? $0 : nil }
    }

    /// Sets the volume on the control's scale of decibels, or on its steps where it has none.
    func set(_ volume: Volume, isMuted: Bool) {
        let hasSwitch = unsafe snd_mixer_selem_has_playback_switch(element) != 0
        if hasSwitch { unsafe snd_mixer_selem_set_playback_switch_all(element, isMuted ? 0 : 1) }
        var (low, high) = (0, 0)
        let isSilent = isMuted && !hasSwitch || volume.percent == 0
        if unsafe snd_mixer_selem_get_playback_dB_range(element, &low, &high) == 0, low < high {
            let wanted = isSilent ? low : Int(saturating: (volume.gain.decibels * 100).rounded())
            unsafe snd_mixer_selem_set_playback_dB_all(element, max(low, min(wanted, min(0, high))), 0)
        } else if unsafe snd_mixer_selem_get_playback_volume_range(element, &low, &high) == 0 {
            let share = isSilent ? 0 : min(1, volume.percent / 100)
            let steps = (Double(high - low) * share).rounded()
            unsafe snd_mixer_selem_set_playback_volume_all(element, low + Int(saturating: steps))
        }
    }
}
