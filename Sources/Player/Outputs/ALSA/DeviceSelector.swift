/// Decides which device an output plays to, and what happens when it is lost or comes back.
///
/// A pure value.
struct DeviceSelector: Sendable, Hashable {
    /// The device that is wanted.
    let device: String
    let policy: LossPolicy
    private(set) var state = State.closed
    /// The device that was played to last.
    private(set) var place: String?
    private var isReturning = false

    enum State: Sendable, Hashable {
        /// To be opened when there is something to play.
        case closed
        case open(String)
        /// The device is gone; it is opened when it is back, or, where the player was to pause, when told to play.
        case gone(RouteLoss)
        /// The device cannot be played to for another reason, and is tried again.
        case failing(ALSAError)
    }

    /// The steps after a loss.
    enum Step: Sendable, Hashable {
        case nothing
        case tell(OutputEvent)
        /// Play to the usual device meanwhile.
        case fallBack
    }

    init(device: String, policy: LossPolicy?) {
        self.device = device
        self.policy = policy ?? (device == ALSAOutput.usualDevice ? .pause : .wait)
    }

    /// The loss that keeps the output silent.
    var loss: OutputEvent? {
        switch state {
        case .gone(let loss): .routeLost(loss)
        case .failing(let error): .lost("\(error)")
        case .closed, .open: nil
        }
    }

    /// Whether another device than the wanted one is played to.
    var isAway: Bool {
        if case .open(let name) = state { return name != device }
        return false
    }

    /// Whether the device has to be tried again by the clock: no event tells when it can be opened.
    var needsRetries: Bool {
        switch state {
        case .closed, .open: isAway && !isCard
        case .gone: !isCard
        case .failing: true
        }
    }

    /// Whether the kernel tells when the device is there: it is a card itself, not a program that poses as one.
    private var isCard: Bool { device.hasPrefix("hw:") || device.hasPrefix("plughw:") }

    /// A device was opened.
    ///
    /// - Returns: The changes to report.
    mutating func opened(_ name: String, format: String = "") -> [OutputEvent] {
        let previous = place
        let wasLost = loss != nil
        let reason: RouteChangeReason =
            name != device ? .oldDeviceUnavailable : isReturning ? .newDeviceAvailable : .unknown
        state = .open(name)
        place = name
        isReturning = name != device
        guard wasLost || previous != name else { return [] }
        let change = RouteChange(reason, from: previous, to: name, format: format)
        return wasLost ? [.routeChanged(change), .restored] : [.routeChanged(change)]
    }

    /// The device was lost, or cannot be opened.
    @discardableResult
    mutating func lose(_ error: ALSAError) -> Step {
        let old = state
        guard error.isLoss else {
            state = .failing(error)
            return old == state ? .nothing : .tell(.lost("\(error)"))
        }
        isReturning = true
        let wasOpen = if case .open(device) = old { true } else { false }
        if policy == .fallback, device != ALSAOutput.usualDevice, !isAway, wasOpen || old == .closed {
            state = .closed
            return .fallBack
        }
        let pauses = policy == .pause && wasOpen
        let text = wasOpen ? "the device '\(device)' is gone" : "\(error)"
        let loss = RouteLoss(sink: device, text: pauses ? text : "\(text); waiting for it", pauses: pauses)
        if case .gone(let known) = old, !known.pauses { return .nothing }
        state = .gone(loss)
        return .tell(.routeLost(loss))
    }

    /// A device that is silent was closed.
    mutating func closed() { if case .open(device) = state { state = .closed } }
}
