internal import AudioTypes
internal import Mixing
internal import Synchronization

/// Opening devices, and what happens when they are lost.
extension ALSAWorker {
    /// Reports to a new receiver of events.
    func tellRoute() {
        if let loss = selector.loss { return mailbox.tell(loss) }
        guard let place = selector.place else { return }
        mailbox.tell(.routeChanged(RouteChange(.unknown, from: nil, to: place, format: formatText)))
    }

    private var formatText: String {
        guard let setup = device?.setup else { return "" }
        return "\(setup.sample.name) \(setup.format.channels.count)ch \(setup.format.sampleRate)Hz"
    }

    /// Opens the device that is missing, if there is reason to think that it can be opened.
    func openIfDue() {
        let isDue = retryTime.map { $0 <= .now } ?? false
        switch selector.state {
        case .closed, .open: if orders.isStarted { open(options.device) }
        case .failing: if orders.isStarted, isDue || retryTime == nil { open(options.device) }
        case .gone(let loss): if isDue || loss.pauses && orders.isStarted { open(options.device) }
        }
    }

    /// Returns to the wanted device, if it is there.
    func returnIfDue() {
        guard selector.isAway, let time = retryTime, time <= .now else { return }
        scheduleRetry()
        guard let wanted = try? ALSADevice(options.device) else { return }
        adopt(wanted)
    }

    private func open(_ name: String) {
        do throws(ALSAError) {
            adopt(try ALSADevice(name))
        } catch {
            lose(error)
        }
    }

    /// Plays to an open device from the heard frame on.
    private func adopt(_ new: ALSADevice) {
        forgetWritten()
        device = new
        let (format, capabilities) = (orders.format, new.capabilities)
        do throws(ALSAError) {
            try new.configure(capabilities.nearest(to: format))
        } catch {
            return lose(error)
        }
        let needsFormat = mailbox.state.withLock { state in
            state.capabilities = capabilities
            guard capabilities.nearest(to: format) != format else { return false }
            state.preferred = capabilities.nearest(to: state.preferred)
            return true
        }
        retryTime = nil
        backoff.reset()
        openMixer()
        for event in selector.opened(new.name, format: formatText) { mailbox.tell(event) }
        if !selector.isAway { watch = nil } else { scheduleRetry() }
        if needsFormat { mailbox.tell(.formatChanged) }
    }

    /// Handles the loss of the device, or that it cannot be opened.
    func lose(_ error: ALSAError) {
        if device != nil { forgetWritten() }
        device = nil
        mixer = nil
        let step = selector.lose(error)
        if watch == nil { watch = CardWatch(options.cardFolder) }
        scheduleRetry()
        switch step {
        case .nothing: break
        case .tell(let event): mailbox.tell(event)
        case .fallBack: open(ALSAOutput.usualDevice)
        }
    }

    private func scheduleRetry() { retryTime = selector.needsRetries ? .now + backoff.next() : nil }

    /// Opens the control that has the volume.
    func openMixer() {
        guard let name = options.mixerControl, let device else { return }
        mixer = ALSAMixer(of: device.name, control: name)
        appliedVolume = nil
        mailbox.state.withLock { [hasMixer = mixer != nil] state in
            state.hasMixer = hasMixer
            state.gain = SoftwareVolume(hasMixer ? .unity : state.wantedGain)
        }
        // The next look at the orders has the control set.
        mailbox.wake()
    }
}
