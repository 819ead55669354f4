import Testing

@testable import Outputs

/// Where a stream is to be heard, decided from sinks as servers have described them.
@Suite struct RouteSelectorTests {
    private static let speaker = PulseSink(index: 1, name: "speaker")

    /// A laptop's sink, as PulseAudio 16 describes it: the jack switches between two ports.
    private static func laptop(_ port: String, headphones: PulseSink.Port.Availability) -> PulseSink {
        var sink = PulseSink(
            index: 0,
            name: "alsa_output.pci-0000_00_1f.3.analog-stereo",
            description: "Built-in Audio"
        )
        sink.ports = [
            .init(name: "analog-output-speaker", description: "Speakers", availability: .unknown),
            .init(name: "analog-output-headphones", description: "Headphones", availability: headphones),
        ]
        sink.activePort = port
        sink.bus = "pci"
        return sink
    }

    /// A selector whose stream is open at a sink.
    private func selector(
        _ device: String? = nil,
        _ policy: LossPolicy? = nil,
        at sink: PulseSink = RouteSelectorTests.speaker,
        in map: SinkMap? = nil
    ) -> RouteSelector {
        var selector = RouteSelector(device: device, policy: policy)
        selector.isOpening()
        let change = selector.opened(
            at: sink.index,
            sink.name,
            in: map ?? SinkMap(sinks: [sink], defaultSink: sink.name)
        )
        #expect(change == RouteChange(.unknown, from: nil, to: sink.name, format: sink.sampleSpecification))
        return selector
    }

    private func loss(
        _ text: String,
        of sink: String = "speaker",
        pauses: Bool,
        keepsSink: Bool = false
    ) -> RouteLoss {
        RouteLoss(sink: sink, text: text, pauses: pauses, keepsSink: keepsSink)
    }

    @Test func theKeyDecidesThenTheDevice() {
        #expect(RouteSelector(device: nil, policy: nil).policy == .pause)
        #expect(RouteSelector(device: "x", policy: nil).policy == .wait)
        #expect(RouteSelector(device: "x", policy: .pause).policy == .pause)
        #expect(RouteSelector(device: nil, policy: .fallback).policy == .fallback)
    }

    @Test func aSinkThatIsUnloadedPausesWhoNamedNone() {
        var selector = selector()
        selector.ended()
        let loss = loss("the sink 'speaker' is gone", pauses: true)
        #expect(selector.learned(sinkExists: false) == .lose(loss))
        #expect(selector.loss == loss)
        #expect(
            selector.changed(SinkMap(sinks: [PulseSink(index: 2, name: "other")], defaultSink: "other")) == .nothing
        )
        #expect(selector.paused() == .open)
        #expect(selector.target == nil)
        selector.isOpening()
        let change = selector.opened(at: 2, "other", in: SinkMap())
        #expect(change == RouteChange(.oldDeviceUnavailable, from: "speaker", to: "other"))
        #expect(selector.paused() == .nothing)
    }

    @Test func aNamedSinkIsWaitedFor() {
        var selector = selector("speaker")
        selector.ended()
        let expected = loss("the sink 'speaker' is gone; waiting for it", pauses: false)
        #expect(selector.learned(sinkExists: false) == .lose(expected))
        #expect(selector.started() == .nothing)
        #expect(selector.paused() == .nothing)
        #expect(
            selector.changed(SinkMap(sinks: [PulseSink(index: 2, name: "other")], defaultSink: "other")) == .nothing
        )
        #expect(selector.changed(SinkMap(sinks: [PulseSink(index: 3, name: "speaker")])) == .open)
        #expect(selector.target == "speaker")
        selector.isOpening()
        let change = selector.opened(at: 3, "speaker", in: SinkMap())
        #expect(change == RouteChange(.newDeviceAvailable, from: "speaker", to: "speaker"))
    }

    /// The list of sinks may be late: the sink that is gone is not back because it is still there.
    @Test func aLateListBringsNothingBack() {
        let late = SinkMap(sinks: [Self.speaker], defaultSink: "speaker")
        var selector = selector("speaker")
        selector.ended()
        _ = selector.learned(sinkExists: false)
        #expect(selector.changed(late) == .nothing)
        #expect(selector.loss?.text == "the sink 'speaker' is gone; waiting for it")
        // The first list may come after all this.
        #expect(selector.changed(SinkMap()) == .nothing)
        #expect(selector.changed(late) == .nothing)
        let back = SinkMap(sinks: [PulseSink(index: 3, name: "speaker")])
        var returning = selector
        #expect(returning.changed(back) == .open)
        // Another server gives its own numbers.
        selector.serverLost()
        selector.isOpening()
        _ = selector.targetIsMissing()
        #expect(selector.changed(late) == .open)
        // A stream that is made again where it was heard finds out by itself.
        var made = self.selector("speaker")
        made.stays()
        made.isOpening()
        #expect(made.targetIsMissing() == .lose(loss("the sink 'speaker' is gone; waiting for it", pauses: false)))
        #expect(made.changed(late) == .nothing && made.changed(back) == .open)
        var without = self.selector(nil, .wait)
        without.ended()
        _ = without.learned(sinkExists: false)
        #expect(without.changed(late) == .nothing)
    }

    /// The same of a sink that another one stands in for.
    @Test func aFallbackIsNotLeftForALateList() {
        let other = PulseSink(index: 2, name: "other")
        let late = SinkMap(sinks: [Self.speaker, other], defaultSink: "other")
        var selector = selector("speaker", .fallback)
        selector.ended()
        #expect(selector.learned(sinkExists: false) == .reopen)
        selector.isOpening()
        #expect(selector.opened(at: 2, "other", in: late)?.reason == .oldDeviceUnavailable)
        #expect(selector.changed(late) == .nothing && selector.looksAgain(at: late) == .nothing)
        #expect(selector.changed(SinkMap(sinks: [other], defaultSink: "other")) == .nothing)
        let back = SinkMap(sinks: [PulseSink(index: 3, name: "speaker"), other], defaultSink: "other")
        #expect(selector.changed(back) == .reopen)
    }

    /// Who waits without a device waits for the sink that is gone, until play is pressed.
    @Test func aLostDefaultSinkIsWaitedFor() {
        var selector = selector(nil, .wait)
        selector.ended()
        _ = selector.learned(sinkExists: false)
        let other = PulseSink(index: 2, name: "other")
        #expect(selector.changed(SinkMap(sinks: [other], defaultSink: "other")) == .nothing)
        var returning = selector
        let both = SinkMap(sinks: [other, PulseSink(index: 3, name: "speaker")], defaultSink: "other")
        #expect(returning.changed(both) == .open)
        returning.isOpening()
        #expect(returning.target == "speaker")
        #expect(returning.opened(at: 3, "speaker", in: both)?.reason == .newDeviceAvailable)
        #expect(returning.target == nil)
        #expect(selector.started() == .open)
        #expect(selector.target == nil)
    }

    @Test func aFallbackIsLeftWhenTheSinkIsBack() {
        var selector = selector("speaker", .fallback)
        selector.ended()
        #expect(selector.learned(sinkExists: false) == .reopen)
        #expect(selector.target == nil)
        selector.isOpening()
        let other = PulseSink(index: 2, name: "other")
        #expect(selector.opened(at: 2, "other", in: SinkMap())?.reason == .oldDeviceUnavailable)
        #expect(selector.changed(SinkMap(sinks: [other], defaultSink: "other")) == .nothing)
        let back = PulseSink(index: 3, name: "speaker")
        #expect(selector.changed(SinkMap(sinks: [other, back], defaultSink: "other")) == .reopen)
        #expect(selector.target == "speaker")
    }

    @Test func aMissingSinkIsWaitedForOrReplaced() {
        var waiting = RouteSelector(device: "speaker", policy: nil)
        waiting.isOpening()
        let text = "the sound server has no sink 'speaker'; waiting for it"
        #expect(waiting.targetIsMissing() == .lose(loss(text, pauses: false)))
        var replacing = RouteSelector(device: "speaker", policy: .fallback)
        replacing.isOpening()
        #expect(replacing.targetIsMissing() == .open)
        #expect(replacing.target == nil)
        let none = loss("the sound server has no sink; waiting for it", of: "", pauses: false)
        #expect(replacing.targetIsMissing() == .lose(none))
        #expect(replacing.changed(SinkMap(sinks: [PulseSink(index: 9, name: "any")], defaultSink: "any")) == .open)
    }

    /// PipeWire ends streams before it removes their sink: a sink that still exists is looked at once more.
    @Test func aStreamThatTheUserEndsPauses() {
        var selector = selector("speaker")
        selector.ended()
        #expect(selector.learned(sinkExists: true) == .lookAgain)
        let expected = loss("the stream was ended at the sound server", pauses: true, keepsSink: true)
        #expect(selector.learned(sinkExists: true) == .lose(expected))
        // It does not come back by itself.
        #expect(selector.changed(SinkMap(sinks: [Self.speaker], defaultSink: "speaker")) == .nothing)
        #expect(selector.started() == .open)
    }

    /// One of several outputs, of which the others play on, returns with its sink.
    @Test func anOutputThatNeedNotPauseReturns() {
        var selector = selector()
        selector.ended()
        _ = selector.learned(sinkExists: false)
        let back = SinkMap(sinks: [PulseSink(index: 5, name: "speaker")], defaultSink: "speaker")
        #expect(selector.changed(back) == .open)
        #expect(selector.target == "speaker")
    }

    /// A session manager may leave a stream without a sink, which the server does not tell.
    @Test func aSinkThatIsMissingIsLost() {
        var seen = Self.speaker
        seen.sampleSpecification = "s16le 2ch 44100Hz"
        let without = SinkMap(sinks: [PulseSink(index: 2, name: "other")], defaultSink: "other")
        var selector = selector("speaker", at: seen)
        #expect(selector.changed(without) == .lookAgain)
        let expected = loss("the sink 'speaker' is gone; waiting for it", pauses: false)
        #expect(selector.looksAgain(at: without) == .lose(expected))
        // The server is away, or the sink is newer than what is known of it.
        var away = self.selector("speaker", at: seen)
        #expect(away.changed(SinkMap()) == .nothing)
        var new = self.selector("speaker")
        #expect(new.changed(without) == .nothing)
        #expect(new.looksAgain(at: without) == .nothing)
    }

    @Test func anotherDefaultSinkIsAChoiceOnlyWhileTheOldOneWorks() {
        let other = PulseSink(index: 2, name: "other")
        let both = SinkMap(sinks: [Self.speaker, other], defaultSink: "other")
        var follower = selector()
        #expect(follower.changed(both) == .lookAgain)
        #expect(follower.looksAgain(at: SinkMap(sinks: [other], defaultSink: "other")) == .nothing)
        #expect(follower.looksAgain(at: both) == .reopen)
        follower.isOpening()
        #expect(follower.opened(at: 2, "other", in: both) == RouteChange(.override, from: "speaker", to: "other"))
        #expect(follower.changed(both) == .nothing)
        var named = selector("speaker")
        #expect(named.changed(both) == .nothing)
        #expect(named.looksAgain(at: both) == .nothing)
    }

    @Test func headphonesThatAreUnpluggedAreALoss() {
        let plugged = Self.laptop("analog-output-headphones", headphones: .yes)
        let unplugged = Self.laptop("analog-output-speaker", headphones: .no)
        let map = SinkMap(sinks: [plugged], defaultSink: plugged.name)
        let after = SinkMap(sinks: [unplugged], defaultSink: plugged.name)
        var selector = selector(at: plugged, in: map)
        let text = "Headphones of '\(plugged.name)' is unplugged"
        #expect(selector.changed(after) == .lose(loss(text, of: plugged.name, pauses: true, keepsSink: true)))
        #expect(selector.paused() == .open)

        var waiting = self.selector(plugged.name, at: plugged, in: map)
        let unpluggedLoss = loss("\(text); waiting for it", of: plugged.name, pauses: false, keepsSink: true)
        #expect(waiting.changed(after) == .lose(unpluggedLoss))
        #expect(waiting.changed(after) == .nothing)
        #expect(waiting.changed(map) == .open)

        var going = self.selector(plugged.name, .fallback, at: plugged, in: map)
        #expect(going.changed(after) == .tell(RouteChange(.oldDeviceUnavailable, from: plugged.name, to: plugged.name)))
        #expect(going.changed(after) == .nothing)
        #expect(going.changed(map) == .tell(RouteChange(.newDeviceAvailable, from: plugged.name, to: plugged.name)))
    }

    /// Row 67: another sample format of the same sink is told, and a default sink that changed with it is followed.
    @Test func anotherFormatIsAConfigurationChange() {
        var sink = Self.speaker
        sink.sampleSpecification = "s16le 2ch 44100Hz"
        var selector = RouteSelector(device: nil, policy: nil)
        selector.isOpening()
        // Before the monitor knows the sink there is no format to compare with.
        #expect(selector.opened(at: 1, "speaker", in: SinkMap())?.format == "")
        #expect(selector.changed(SinkMap(sinks: [sink], defaultSink: "speaker")) == .nothing)
        sink.sampleSpecification = "s32le 2ch 96000Hz"
        let map = SinkMap(sinks: [sink, PulseSink(index: 2, name: "other")], defaultSink: "other")
        let format = "s32le 2ch 96000Hz"
        let change = RouteChange(.routeConfigurationChange, from: "speaker", to: "speaker", format: format)
        #expect(selector.changed(map) == .tell(change))
        #expect(selector.changed(map) == .lookAgain)
    }

    /// A television that is asleep says that nothing is plugged in, and is played to all the same.
    @Test func aPortThatWasNeverPluggedInIsNoLoss() {
        var television = PulseSink(index: 0, name: "hdmi")
        television.ports = [.init(name: "hdmi-output-0", description: "HDMI", availability: .no)]
        television.activePort = "hdmi-output-0"
        let map = SinkMap(sinks: [television], defaultSink: "hdmi")
        var selector = selector("hdmi", at: television, in: map)
        #expect(selector.changed(map) == .nothing)
        selector.ended()
        _ = selector.learned(sinkExists: false)
        var back = television
        back.index = 7
        #expect(selector.changed(SinkMap(sinks: [back])) == .open)
    }

    @Test func aMovedStreamIsHeldUntilTheReasonIsKnown() {
        let other = PulseSink(index: 2, name: "other")
        let map = SinkMap(sinks: [Self.speaker, other], defaultSink: "speaker")
        var selector = selector("speaker")
        #expect(selector.moved(to: 2, "other", in: map) == true)
        #expect(selector.learned(sinkExists: true) == .goOn(RouteChange(.override, from: "speaker", to: "other")))
        #expect(selector.moved(to: 1, "speaker", in: map) == true)
        guard case .lose = selector.learned(sinkExists: false) else {
            Issue.record("a stream that was moved because its sink was unloaded goes on")
            return
        }
        #expect(selector.loss != nil)
    }

    /// Row 64: an override ends with its sink, and the stream returns to its device when play is pressed.
    @Test func aMovedStreamWaitsWhereItWas() {
        let other = PulseSink(index: 2, name: "other")
        let map = SinkMap(sinks: [Self.speaker, other], defaultSink: "speaker")
        var selector = selector("speaker")
        _ = selector.moved(to: 2, "other", in: map)
        _ = selector.learned(sinkExists: true)
        selector.ended()
        let expected = loss("the sink 'other' is gone; waiting for it", of: "other", pauses: false)
        #expect(selector.learned(sinkExists: false) == .lose(expected))
        #expect(selector.changed(SinkMap(sinks: [Self.speaker], defaultSink: "speaker")) == .nothing)
        var played = selector
        #expect(played.started() == .open)
        #expect(played.target == "speaker")
        let back = SinkMap(sinks: [Self.speaker, PulseSink(index: 3, name: "other")], defaultSink: "speaker")
        #expect(selector.changed(back) == .open)
        #expect(selector.target == "other")
    }

    /// PipeWire opens a movable stream elsewhere when its sink is missing.
    @Test func aStreamAtAnotherSinkIsNotWanted() {
        #expect(RouteSelector(device: nil, policy: nil).isWanted("any"))
        #expect(RouteSelector(device: "speaker", policy: nil).isWanted("speaker"))
        #expect(!RouteSelector(device: "speaker", policy: nil).isWanted("other"))
        #expect(RouteSelector(device: "@DEFAULT_SINK@", policy: nil).isWanted("other"))
        #expect(RouteSelector(device: "3", policy: nil).isWanted("other"))
    }

    /// A stream that is made again in another format finds its sink gone: a loss like any other.
    @Test(arguments: [nil, "speaker"], [LossPolicy.pause, .wait, .fallback])
    func aSinkThatIsGoneWhenTheFormatChangesIsLost(_ device: String?, _ policy: LossPolicy) {
        var selector = selector(device, policy)
        selector.stays()
        selector.isOpening()
        #expect(selector.target == "speaker")
        let step = selector.targetIsMissing()
        let waiting = loss("the sink 'speaker' is gone; waiting for it", pauses: false)
        switch policy {
        case .pause: #expect(step == .lose(loss("the sink 'speaker' is gone", pauses: true)))
        case .wait: #expect(step == .lose(waiting))
        case .fallback: #expect(step == .reopen)
        }
        #expect(policy != .fallback || selector.target == nil)
    }

    /// A stream that was moved and not judged yet is made again where it was, so that nothing is heard elsewhere.
    @Test func aMovedStreamWhoseFormatChangesStays() {
        var selector = selector()
        #expect(selector.moved(to: 2, "other", in: SinkMap()) == true)
        selector.stays()
        #expect(selector.target == "speaker")
    }

    @Test func aLostServerForgetsNumbers() {
        var selector = selector("speaker", .fallback)
        selector.ended()
        _ = selector.learned(sinkExists: false)
        selector.serverLost()
        #expect(selector.target == "speaker")
        #expect(selector.loss == nil)
        selector.isOpening()
        #expect(selector.opened(at: 0, "speaker", in: SinkMap()) == nil)
    }
}
