internal import CPulse

/// Where the stream is heard: carries out what the route selector decides.
extension PulseOutput {
    /// Reports where the output is heard to a new receiver of its events.
    func tellRoute() {
        if let loss = selector.loss { return tell(.routeLost(loss)) }
        guard let place = selector.place else { return }
        tell(.routeChanged(RouteChange(.unknown, from: nil, to: place.name)))
    }

    private var map: SinkMap { monitor?.map ?? SinkMap() }

    func carryOut(_ step: RouteSelector.Step) {
        switch step {
        case .nothing: break
        case .open:
            // One that is at another sink than wanted.
            if unsafe stream != nil { freeze(disconnects: true) }
            openStream()
        case .reopen:
            freeze(disconnects: true)
            openStream()
        case .lose(let loss):
            freeze(disconnects: true)
            isLost = true
            tell(.routeLost(loss))
            // The sink may have come while the stream was being refused, which no further change would tell.
            setRouteTimer()
            // The player is paused already.
            if !isStarted { carryOut(selector.paused()) }
        case .lookAgain: setRouteTimer()
        case .tell(let change):
            tell(.routeChanged(change))
            // Another change may have come with it.
            carryOut(selector.changed(map))
        case .goOn(let change):
            if isStarted { cork(false) }
            tell(.routeChanged(change))
            updateSinkFormat()
            askForFormat(ofAnother: true)
        }
    }

    // MARK: The stream

    /// - Returns: The change, where the stream is heard at another sink than the one before.
    func streamOpened() -> RouteChange? {
        guard let stream = unsafe stream, let name = unsafe pa_stream_get_device_name(stream) else { return nil }
        return selector.opened(at: unsafe pa_stream_get_device_index(stream), unsafe String(cString: name), in: map)
    }

    /// Whether the stream, which is ready and corked, is where it is to be heard.
    var isAtWantedSink: Bool {
        guard let stream = unsafe stream, let name = unsafe pa_stream_get_device_name(stream) else { return true }
        return selector.isWanted(unsafe String(cString: name))
    }

    /// Handles that the server refused the stream or ended it.
    func streamFailed(_ code: Int32) {
        switch pa_error_code(rawValue: UInt32(bitPattern: code)) {
        case PA_ERR_KILLED where selector.state == .open:
            freeze(disconnects: false)
            selector.ended()
            lookUpSink()
        case PA_ERR_NOENTITY:
            freeze(disconnects: false)
            carryOut(selector.targetIsMissing())
        default: lose(PulseError.refused(code: code))
        }
    }

    /// Handles a move of the stream by the server: nothing is heard before the reason is known.
    func streamMovedElsewhere() {
        updateTiming()
        guard let stream = unsafe stream, let name = unsafe pa_stream_get_device_name(stream) else { return }
        let index = unsafe pa_stream_get_device_index(stream)
        guard selector.moved(to: index, unsafe String(cString: name), in: map) else { return }
        cork(true)
        lookUpSink()
    }

    /// Asks the server whether the stream's sink still exists.
    private func lookUpSink() {
        guard let context = unsafe context, let place = selector.place else { return }
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe release(pa_context_get_sink_info_by_index(context, place.index, sinkAnswered, me))
    }

    func sinkWasLookedUp(exists: Bool) {
        switch selector.state {
        case .moved, .ended: carryOut(selector.learned(sinkExists: exists))
        case .opening, .open, .waiting, .pausing: break
        }
    }

    // MARK: The server's sinks

    /// Handles a change of the server's sinks; called on the monitor's thread.
    func sinksChanged(_ map: SinkMap) {
        loop.locked {
            guard !isClosed else { return }
            guard unsafe context != nil else {
                if isLost, !map.sinks.isEmpty { connect() }
                return
            }
            carryOut(selector.changed(map))
            updateSinkFormat()
        }
    }

    /// Learns the format of the sink where the stream is heard.
    func updateSinkFormat() {
        guard selector.state == .open, let place = selector.place else { return }
        updateSinkFormat(of: map.sink(at: place.index))
    }

    private func setRouteTimer() {
        guard unsafe routeTimer == nil else { return }
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe routeTimer = makeTimer(in: Self.settlingTime, routeTimeReached, me)
    }

    func cancelRouteTimer() {
        guard let timer = unsafe routeTimer, let api = unsafe loop.api else { return }
        unsafe api.pointee.time_free(timer)
        unsafe routeTimer = nil
    }

    func routeTimerRang() {
        cancelRouteTimer()
        switch selector.state {
        case .ended: lookUpSink()
        case .open: carryOut(selector.looksAgain(at: map))
        case .opening, .moved, .waiting, .pausing: carryOut(selector.changed(map))
        }
    }

    /// Seconds until the loss of a sink is known to all after the first sign of it.
    private static let settlingTime = 0.1
}
