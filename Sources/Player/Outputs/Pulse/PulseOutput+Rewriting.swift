package import AudioTypes
internal import CPulse
internal import Synchronization

/// Replacing frames that were sent already.
extension PulseOutput {
    package func rewind(to position: FramePosition) {
        loop.locked {
            let position = min(position, deferredRewrite ?? position)
            let margin = isOnPipeWire ? Double(format.frames(in: Self.pipeWireMargin)) : 0
            switch cursor.rewind(to: position, heard: heardFrame, margin: margin) {
            // Those before it may still wait for the right time to be sent again.
            case .nothing: return
            case .overwriting: cancelDeferredRewrite()
            case .flushing:
                flush()
                setClock(frame: Double(cursor.position.index), isMoving: false)
            }
            isStarving.store(true, ordering: .sequentiallyConsistent)
            streamClock.withLock { $0.shorten(to: cursor.position) }
        }
    }

    /// The server drops what arrives too late for its position; PipeWire would play it late.
    package func rewrite(from position: FramePosition) {
        loop.locked {
            guard cursor.position > position, cursor.isPlaced else {
                rewind(to: position)
                return feed()
            }
            deferredRewrite = min(position, deferredRewrite ?? position)
            guard let delay = renderDelay else { return rewriteDeferred() }
            feedLater(delay)
        }
    }

    /// Overwrites frames that were sent.
    func rewriteDeferred() {
        let first = deferredRewrite
        cancelDeferredRewrite()
        guard let first, cursor.position > first, cursor.isPlaced else { return }
        let earliest =
            isOnPipeWire ? Int(sample: heardFrame) + format.frames(in: Self.pipeWireMargin) : cursor.firstAudible.index
        cursor.overwrite(from: FramePosition(max(first.index, earliest)))
        // The sink returns the frames it has from there on, and so takes frames when it gets there.
        if let time = streamClock.withLock({ $0.time(of: cursor.position) }) { renderGuard.renderTime = time }
        feed(isTimely: true)
    }

    /// Limits the sink to one block at a time from now on.
    ///
    /// Not from the start: a sink that was idle holds two seconds of silence, and returns only what its streams may
    /// hold.
    func shortenHold() {
        guard let stream = unsafe stream, !isOnPipeWire, unsafe shortHoldOperation == nil else { return }
        var attributes = bufferAttributes(hold: min(0.3, 0.8 * format.seconds(for: 65_472 / format.bytesPerFrame)))
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe shortHoldOperation = pa_stream_set_buffer_attr(stream, &attributes, holdShortened, me)
    }

    func disableRenderGuard() { renderGuard.isOff = true }

    func cancelDeferredRewrite() {
        deferredRewrite = nil
        stopDeferTimer()
    }

    func stopDeferTimer() {
        guard let timer = unsafe deferTimer, let api = unsafe loop.api else { return }
        unsafe api.pointee.time_free(timer)
        unsafe deferTimer = nil
    }

    /// Seconds until frames can be replaced; `nil` when they can now.
    var renderDelay: Double? {
        isStarted && !isOnPipeWire ? renderGuard.delay(at: .now, period: Self.sinkLength) : nil
    }

    func feedLater(_ delay: Double) {
        guard unsafe deferTimer == nil else { return }
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe deferTimer = makeTimer(in: delay, deferTimeReached, me)
    }

    /// Called when frames can be replaced.
    func deferIsOver() {
        if deferredRewrite != nil { return rewriteDeferred() }
        stopDeferTimer()
        feed(isTimely: true)
    }
}
