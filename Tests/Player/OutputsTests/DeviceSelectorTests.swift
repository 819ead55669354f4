import AudioTypes
import TestSupport
import Testing

@testable import Outputs

/// Which device is played to, and what is told of it.
struct DeviceSelectorTests {
    private let gone = ALSAError.noDevice(name: "hw:CARD=DAC")
    private let busy = ALSAError.busy(name: "hw:CARD=DAC", holder: "mpd (process 7)")

    private func selector(_ policy: LossPolicy?, _ device: String = "hw:CARD=DAC") -> DeviceSelector {
        var selector = DeviceSelector(device: device, policy: policy)
        #expect(selector.opened(device) == [.routeChanged(RouteChange(.unknown, from: nil, to: device))])
        return selector
    }

    @Test func aNamedDeviceIsWaitedFor() {
        var selector = selector(nil)
        let loss = RouteLoss(
            sink: "hw:CARD=DAC",
            text: "the device 'hw:CARD=DAC' is gone; waiting for it",
            pauses: false
        )
        #expect(selector.lose(gone) == .tell(.routeLost(loss)))
        #expect(selector.lose(gone) == .nothing)
        #expect(!selector.needsRetries, "the kernel tells when a card is back")
        let back = RouteChange(.newDeviceAvailable, from: "hw:CARD=DAC", to: "hw:CARD=DAC")
        #expect(selector.opened("hw:CARD=DAC") == [.routeChanged(back), .restored])
        #expect(selector.loss == nil)
    }

    @Test func theUsualDevicePauses() {
        var selector = selector(nil, "default")
        guard case .tell(.routeLost(let loss)) = selector.lose(.noDevice(name: "default")) else {
            Issue.record("no loss was told")
            return
        }
        #expect(loss.pauses)
        #expect(selector.needsRetries, "no event tells when a plugin can be opened")
    }

    @Test func fallsBackAndReturns() {
        var selector = selector(.fallback)
        #expect(selector.lose(gone) == .fallBack)
        let away = RouteChange(.oldDeviceUnavailable, from: "hw:CARD=DAC", to: "default")
        #expect(selector.opened("default") == [.routeChanged(away)])
        #expect(selector.isAway)
        let back = RouteChange(.newDeviceAvailable, from: "default", to: "hw:CARD=DAC")
        #expect(selector.opened("hw:CARD=DAC") == [.routeChanged(back)])
        #expect(!selector.isAway)
    }

    @Test func aBusyDeviceIsTriedAgain() {
        var selector = selector(nil)
        let event = OutputEvent.lost("the device 'hw:CARD=DAC' is in use by mpd (process 7)")
        #expect(selector.lose(busy) == .tell(event))
        #expect(selector.lose(busy) == .nothing)
        #expect(selector.loss == event)
        #expect(selector.needsRetries)
    }

    @Test func procTellsWhoHasACard() throws {
        let folder = try TemporaryFolder()
        let status = try folder.makeFolder("asound/card1/pcm0p/sub0")
        try folder.write("asound/card1/pcm0p/sub0/status", "state: RUNNING\nowner_pid   : 4711\n")
        _ = try folder.makeFolder("proc/4711")
        try folder.write("proc/4711/comm", "mpd\n")
        #expect(!status.isEmpty)
        for name in ["hw:1", "plughw:1,0", "hw:CARD=1,DEV=0", "default"] {
            let holder = DeviceHolder.find(of: name, in: folder.file("asound"), processes: folder.file("proc"))
            #expect(holder?.description == "mpd (process 4711)")
        }
        #expect(DeviceHolder.find(of: "hw:0", in: folder.file("asound"), processes: folder.file("proc")) == nil)
        #expect(DeviceHolder.card(of: "hw:CARD=../../x") == nil)
    }

    @Test func aCardThatIsPluggedInIsNoticed() throws {
        let folder = try TemporaryFolder()
        let watch = CardWatch(folder.file("snd"))
        #expect(!watch.takeChanges())
        _ = try folder.makeFolder("snd")
        try wait(for: "the folder") { watch.takeChanges() }
        try folder.write("snd/pcmC0D0p", "")
        try wait(for: "the device file") { watch.takeChanges() }
    }

    @Test func theNearestFormatLosesLeast() {
        let card = ALSACapabilities(samples: [.s16, .s24Packed], rates: [44_100, 48_000, 96_000], channels: [2])
        func nearest(_ sample: SampleFormat, _ rate: Int, _ channels: ChannelLayout = .stereo) -> AudioFormat {
            card.nearest(to: AudioFormat(sampleFormat: sample, sampleRate: rate, channels: channels))
        }
        #expect(nearest(.s16, 44_100) == .cd)
        #expect(nearest(.s32, 96_000) == AudioFormat(sampleFormat: .s32, sampleRate: 96_000, channels: .stereo))
        #expect(nearest(.f32, 22_050).sampleRate == 44_100)
        #expect(nearest(.s16, 24_000).sampleRate == 48_000)
        #expect(nearest(.s16, 64_000).sampleRate == 96_000)
        #expect(nearest(.s16, 192_000).sampleRate == 96_000)
        #expect(nearest(.s16, 44_100, .surround51).channels == .stereo)
        #expect(card.text == "S16_LE S24_3LE, 44100-96000 Hz, 2 channels")
    }
}
