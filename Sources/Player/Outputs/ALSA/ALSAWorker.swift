internal import AudioTypes
internal import Files
private import Glibc
internal import Mixing
internal import Synchronization

/// The thread that has an output's device.
///
/// It sleeps until the device's buffer is a quarter full, by the output's clock; orders, and errors of the device, wake it.
final class ALSAWorker {
    let options: ALSAOutput.Options
    let mailbox: ALSAMailbox
    var device: ALSADevice?
    var mixer: ALSAMixer?
    /// The device that is played to or waited for, and the reason.
    var selector: DeviceSelector
    var watch: CardWatch?
    var backoff = Backoff(from: 0.25, to: 10)
    var retryTime: HostTime?

    /// The next frame to write, and the first since the buffer was empty.
    private var position = FramePosition.zero
    private var first = FramePosition.zero
    private var isRunning = false
    /// When the device was started.
    private var startTime = HostTime.now
    /// Whether there were no more frames when the device was written to last.
    private var isOut = false
    /// When it was told last that the device ran dry.
    private var xrunTold: HostTime?
    /// When a paused device is closed.
    private var closeTime: HostTime?
    private var toldRate = 0.0
    /// The volume that the card's mixer was set to last.
    var appliedVolume: AppliedVolume?
    private let scratch = Scratch()
    /// For devices whose memory cannot be mapped.
    private let outgoing = Scratch()

    struct AppliedVolume: Sendable, Hashable {
        var volume: Volume
        var isMuted: Bool
    }

    /// Seconds between two reports of a device that runs dry again and again.
    private static let xrunInterval = 1.0

    /// The orders as they are now.
    private(set) var orders: ALSAMailbox.State

    /// Seconds after which a device that is not played to is closed.
    static let idleLength = 5.0
    /// The least that the device is left with, in seconds.
    private static let leastReserve = 0.08

    init(_ options: ALSAOutput.Options, _ mailbox: ALSAMailbox, _ device: ALSADevice?) {
        self.options = options
        self.mailbox = mailbox
        self.device = device
        selector = DeviceSelector(device: options.device, policy: options.whenLost)
        orders = mailbox.state.withLock(\.self)
        if device == nil { selector.lose(.noDevice(name: options.device)) } else { _ = selector.opened(options.device) }
    }

    func run() {
        if device != nil { openMixer() }
        closeTime = .now + Self.idleLength
        while true {
            applyOrders()
            if orders.isClosing {
                device = nil
                return
            }
            do {
                try serve()
            } catch {
                lose(error)
            }
            sleep()
        }
    }

    /// Carries out the orders.
    private func applyOrders() {
        mailbox.hearWake()
        orders = mailbox.state.withLock { state in
            defer {
                (state.jumped, state.rewound, state.rewritten) = (nil, nil, nil)
                state.isNew = false
            }
            return state
        }
    }

    private func serve() throws(ALSAError) {
        if orders.isNew { tellRoute() }
        if let position = orders.jumped { try jump(to: position) }
        applyVolume()
        if let watch, watch.takeChanges() { retryTime = .now }
        if device == nil { openIfDue() } else if watch != nil { returnIfDue() }
        guard let device else { return }
        if device.setup?.format != orders.format { try device.configure(orders.format) }
        guard orders.isStarted else { return try rest() }
        closeTime = nil
        if let position = orders.rewound { try rewind(to: position, isWrong: true) }
        if let position = orders.rewritten { try rewind(to: position, isWrong: false) }
        try heal()
        try feed()
        try publish()
    }

    // MARK: Transport

    private func jump(to position: FramePosition) throws(ALSAError) {
        (self.position, first) = (position, position)
        try silence()
    }

    /// Empties the device's buffer at once.
    private func silence() throws(ALSAError) {
        isRunning = false
        toldRate = -1
        guard let device, device.setup != nil else { return }
        try device.drop()
    }

    /// Keeps silent at the heard frame, and closes the device in the end.
    private func rest() throws(ALSAError) {
        if isRunning {
            device?.hold()
            let heard = try heardFrame ?? Double(position.index)
            try jump(to: FramePosition(Int(sample: heard)))
            stand()
        } else if position > first {
            try jump(to: first)
        }
        guard let time = closeTime else {
            closeTime = .now + Self.idleLength
            return
        }
        if time <= .now {
            device = nil
            closeTime = nil
        }
    }

    /// The clock stands at the next frame.
    func stand() {
        let frame = position
        let isCurrent = mailbox.state.withLock { state in
            guard state.number == orders.number else { return false }
            state.limit = frame
            state.clock.set(Double(frame.index), at: .now, rate: 0, limit: frame)
            return true
        }
        toldRate = 0
        if isCurrent { mailbox.tell(.clockChanged) }
    }

    /// Takes back the frames from a position on.
    ///
    /// - Parameter isWrong: Whether those that are about to be heard may not be.
    private func rewind(to target: FramePosition, isWrong: Bool) throws(ALSAError) {
        guard let device, position > target else { return }
        guard isRunning, let heard = try heardFrame else { return try jump(to: min(first, target)) }
        let margin = orders.format.frames(in: ALSAOutput.margin) / 2
        let earliest = FramePosition(Int(sample: heard) + margin)
        if isWrong, target < earliest { return try jump(to: min(target, FramePosition(Int(sample: heard)))) }
        let count = position - max(target, earliest)
        guard count > 0 else { return }
        let taken = device.rewind(count, keeping: margin / 2)
        position = position + -taken
        // Frames that a device has fetched are heard as they were; one that gives nothing back is emptied.
        if taken == 0, count > margin { try jump(to: FramePosition(Int(sample: heard))) }
    }

    /// Goes on after the device has run dry, or the machine has slept.
    private func heal() throws(ALSAError) {
        guard isRunning, let device, try device.progress() == nil else { return }
        if device.isSuspended {
            let heard = mailbox.state.withLock { $0.clock.heard(at: .now) }
            position = min(position, FramePosition(Int(sample: heard)))
        } else if !isOut {
            recordXrun()
        }
        try device.prepare()
        isRunning = false
        first = position
        stand()
    }

    private func recordXrun() {
        mailbox.state.withLock { $0.xruns += 1 }
        let now = HostTime.now
        if let told = xrunTold, now - told < Self.xrunInterval { return }
        xrunTold = now
        mailbox.tell(.attributesChanged)
    }

    // MARK: Frames

    /// The frame heard now, as the device tells; `nil` when it has run dry.
    private var heardFrame: Double? {
        get throws(ALSAError) {
            guard let progress = try device?.progress() else { return nil }
            return max(Double(first.index), min(Double(position.index - progress.delay), latestFrame))
        }
    }

    /// The last frame that can have been heard in the time since the start.
    ///
    /// A device without a clock, such as one that writes into a file, is played to in real time so.
    private var latestFrame: Double {
        let seconds = HostTime.now - startTime
        return Double(first.index) + (Self.haste * seconds + Self.earliness) * Double(orders.format.sampleRate)
    }

    /// How much faster than told a device may be, and by how many seconds it may tell frames too early.
    private static let haste = 1.001
    private static let earliness = 0.05

    private func feed() throws(ALSAError) {
        guard let device, let setup = device.setup, let ring = orders.ring, ring.format == setup.format else {
            mailbox.isStarving.store(true, ordering: .sequentiallyConsistent)
            return
        }
        isOut = false
        guard let room = try room(in: device, setup) else { return }
        // Room that the card makes meanwhile is for the next turn: while writing is slow, this one would not end.
        let full = position + room
        while full > position {
            let available = ring.written - position
            guard available > 0 else {
                mailbox.isStarving.store(true, ordering: .sequentiallyConsistent)
                // The decoder may have written since, without seeing that the output starves.
                if ring.written > position { continue }
                isOut = true
                break
            }
            let count = try write(min(full - position, available), ring, device, setup)
            position += count
            if count == 0 || mailbox.hasNewOrders(since: orders.number) { break }
        }
        let enough = min(setup.format.frames(in: 0.2), setup.buffer / 2)
        if !isRunning, position - first >= enough {
            try device.start()
            (isRunning, startTime) = (true, .now)
        }
    }

    /// Frames that may be written: what the device takes, up to its buffer's length ahead of what is heard.
    private func room(in device: ALSADevice, _ setup: ALSADevice.Setup) throws(ALSAError) -> Int? {
        guard let progress = try device.progress() else { return nil }
        let heard = isRunning ? min(latestFrame, Double(position.index - progress.delay)) : Double(first.index)
        return min(progress.room, setup.buffer - (position.index - Int(sample: heard)))
    }

    private func write(
        _ count: Int,
        _ ring: any FrameReading,
        _ device: ALSADevice,
        _ setup: ALSADevice.Setup
    ) throws(ALSAError) -> Int {
        let count = min(count, Self.chunk)
        guard setup.isMapped else {
            let base = unsafe outgoing.room(count * setup.bytesPerFrame)
            let frames = unsafe render(to: base, count, ring, setup)
            return unsafe try device.write(base, frames)
        }
        return unsafe try device.writeMapped(count) { place, room in unsafe render(to: place, room, ring, setup) }
    }

    /// Frames that are written at once.
    private static let chunk = 16_384

    /// Renders the next frames into memory of the device's format.
    ///
    /// - Returns: How many.
    private func render(
        to target: UnsafeMutableRawPointer,
        _ count: Int,
        _ ring: any FrameReading,
        _ setup: ALSADevice.Setup
    ) -> Int {
        let hasGain = !orders.hasMixer && !orders.gain.isUnity
        if !hasGain, setup.isPlain { return unsafe ring.read(at: position, into: target, count: count) }
        let base = unsafe scratch.room(count * setup.format.bytesPerFrame)
        let frames = unsafe ring.read(at: position, into: base, count: count)
        if hasGain { unsafe orders.gain.apply(to: base, count: frames, at: position.index, format: setup.format) }
        let channels = setup.format.channels.count
        unsafe setup.sample.write(base, to: target, frames: frames, channels: channels, order: setup.order)
        return frames
    }

    // MARK: Time

    /// Publishes the clock, unless there are newer orders.
    private func publish() throws(ALSAError) {
        guard isRunning, let heard = try heardFrame else {
            if toldRate != 0 { stand() }
            return
        }
        let (rate, end, now) = (Double(orders.format.sampleRate), position, HostTime.now)
        let change: Double? = mailbox.state.withLock { state in
            guard state.number == orders.number else { return nil }
            let expected = state.clock.heard(at: now)
            state.limit = end
            state.clock.set(heard, at: now, rate: rate, limit: end)
            return abs(expected - heard) / rate
        }
        guard let change else { return }
        defer { toldRate = rate }
        if toldRate != rate || change > Self.drift { mailbox.tell(.clockChanged) }
    }

    /// Seconds by which the clock may be corrected without an event.
    private static let drift = 0.002

    /// When to look at the device again; `nil`: only when woken.
    private var wakeTime: HostTime? {
        if device == nil { return retryTime }
        guard isRunning, let setup = device?.setup else { return earlier(closeTime, retryTime) }
        let rate = Double(setup.format.sampleRate)
        let heard = mailbox.state.withLock { $0.clock.heard(at: .now) }
        let filled = (Double(position.index) - heard) / rate
        // A device that is to run dry is looked at afterwards.
        guard !mailbox.isStarving.load(ordering: .sequentiallyConsistent) else {
            return earlier(.now + filled + 0.01, retryTime)
        }
        let reserve = max(Self.leastReserve, Double(setup.buffer) / rate / 4)
        return earlier(.now + max(0.01, filled - reserve), retryTime)
    }

    private func earlier(_ left: HostTime?, _ right: HostTime?) -> HostTime? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// Sleeps until it is time, or something happens.
    private func sleep() {
        var awaited: [Readiness] = [.readable(mailbox.descriptor)]
        if let watch { awaited.append(.readable(watch.descriptor)) }
        if isRunning, let device { awaited += device.errors }
        Readiness.wait(for: awaited, until: wakeTime)
    }

    /// Has all frames from the heard one on written again, to another device.
    func forgetWritten() {
        let heard = FramePosition(Int(sample: mailbox.state.withLock { $0.clock.heard(at: .now) }))
        position = min(position, heard)
        first = position
        isRunning = false
        stand()
    }

    private func applyVolume() {
        guard let mixer, orders.hasMixer else { return }
        let wanted = AppliedVolume(volume: orders.volume, isMuted: orders.isMuted)
        guard wanted != appliedVolume else { return }
        appliedVolume = wanted
        mixer.set(orders.volume, isMuted: orders.isMuted)
    }
}

extension ALSADevice.Setup {
    var bytesPerFrame: Int { max(sample.bytes, sample.source.bytesPerSample) * format.channels.count }

    /// Whether the device takes frames as they are.
    var isPlain: Bool { order == nil && sample != .s24 && sample != .s24Packed }
}

/// Memory that grows to what is asked for; used by one thread.
@safe
private final class Scratch {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 64)

    deinit { unsafe bytes.deallocate() }

    func room(_ count: Int) -> UnsafeMutableRawPointer {
        if unsafe bytes.count < count {
            unsafe bytes.deallocate()
            unsafe bytes = .allocate(byteCount: count, alignment: 64)
        }
        guard let base = unsafe bytes.baseAddress else { preconditionFailure("an allocation has an address") }
        return unsafe base
    }
}
