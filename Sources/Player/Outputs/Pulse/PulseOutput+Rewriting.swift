package import AudioTypes
internal import CPulse
internal import Mixing
internal import Synchronization

/// What was sent already is replaced.
extension PulseOutput {
    package func rewind(to position: FramePosition) {
        loop.locked {
            let position = min(position, deferredRewrite ?? position)
            cancelDeferredRewrite()
            guard self.position > position else { return }
            let heard = heardFrame
            let margin = isOnPipeWire ? Double(format.frames(in: Self.pipeWireMargin)) : 0
            if let origin, Double(position.index) > heard + margin {
                rewriteIndex = Int64(position.index * format.bytesPerFrame) - origin
                self.position = position
            } else {
                // What lies between is sent again, before what is to come.
                flush()
                self.position = min(position, FramePosition(Int(heard)))
                firstAudible = self.position
                setClock(frame: Double(self.position.index), isMoving: false)
            }
            isStarving.store(true, ordering: .sequentiallyConsistent)
            setLimit()
        }
    }

    /// The server drops what comes too late, in its place; PipeWire would play it late.
    package func rewrite(from position: FramePosition) {
        loop.locked {
            guard self.position > position, origin != nil else {
                rewind(to: position)
                return feed()
            }
            deferredRewrite = min(position, deferredRewrite ?? position)
            guard let delay = renderDelay else { return rewriteDeferred() }
            feedLater(delay)
        }
    }

    /// Writes over what was sent.
    func rewriteDeferred() {
        let first = deferredRewrite
        cancelDeferredRewrite()
        guard let first, position > first, let origin else { return }
        let earliest = isOnPipeWire ? Int(heardFrame) + format.frames(in: Self.pipeWireMargin) : firstAudible.index
        position = min(position, FramePosition(max(first.index, earliest)))
        rewriteIndex = Int64(position.index * format.bytesPerFrame) - origin
        // The sink gives back what it has from there on, and so takes frames when it gets there.
        renderTime = clockState.withLock { $0.clock }.time(of: position) ?? renderTime
        feed(isTimely: true)
    }

    /// Lets the sink take no more at once than one piece from now on.
    ///
    /// Not from the start: a sink that was idle has silence for two seconds, and gives back only what its streams may hold.
    func shortenHold() {
        guard let stream = unsafe stream, !isOnPipeWire, unsafe shortHoldOperation == nil else { return }
        var attributes = bufferAttributes(hold: min(0.3, 0.8 * format.seconds(for: 65_472 / format.bytesPerFrame)))
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe shortHoldOperation = pa_stream_set_buffer_attr(stream, &attributes, holdShortened, me)
    }

    func noteShortHold() { hasShortHold = true }

    func cancelDeferredRewrite() {
        deferredRewrite = nil
        stopDeferTimer()
    }

    func stopDeferTimer() {
        guard let timer = unsafe deferTimer, let api = unsafe loop.api else { return }
        unsafe api.pointee.time_free(timer)
        unsafe deferTimer = nil
    }

    /// Seconds until frames can be replaced; `nil` at once.
    ///
    /// Frames travel in pieces, and for a moment the first of them is all that there is behind where they begin. A sink
    /// that takes more just then runs dry, in the middle of its own buffer.
    var renderDelay: Double? {
        guard isRunning, !isOnPipeWire, !hasShortHold, let renderTime else { return nil }
        let late = HostTime.now - renderTime
        // Then it takes as much as it may, unless it is told otherwise before.
        let rest = late - (late / Self.sinkLength).rounded() * Self.sinkLength
        return rest > -Self.renderGuard && rest < Self.renderTail ? Self.renderTail - rest : nil
    }

    func feedLater(_ delay: Double) {
        guard unsafe deferTimer == nil else { return }
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe deferTimer = makeTimer(in: delay, deferTimeReached, me)
    }

    /// Frames can be replaced now.
    func deferIsOver() {
        if deferredRewrite != nil { return rewriteDeferred() }
        stopDeferTimer()
        feed(isTimely: true)
    }
}
