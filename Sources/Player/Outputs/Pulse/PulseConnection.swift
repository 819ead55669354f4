internal import CPulse

/// A synchronous connection, whose caller waits for each answer; for starting up and for lists.
@safe
final class PulseConnection {
    private let loop: PulseLoop
    private var context: OpaquePointer?

    /// Connects.
    ///
    /// Blocks until the server answers or refuses.
    init(loop: PulseLoop, server: String?) throws(PulseError) {
        self.loop = loop
        try loop.locked { () throws(PulseError) in
            guard let api = unsafe loop.api, let context = unsafe Self.makeContext(api) else {
                throw PulseError.refused(code: Int32(PA_ERR_INTERNAL.rawValue))
            }
            unsafe self.context = context
            let loopContext = unsafe Unmanaged.passUnretained(loop).toOpaque()
            unsafe pa_context_set_state_callback(context, connectionStateChanged, loopContext)
            var code = unsafe pa_context_connect(context, server, PA_CONTEXT_NOFLAGS, nil)
            while code >= 0 {
                let state = unsafe pa_context_get_state(context)
                if state == PA_CONTEXT_READY { break }
                if state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED { code = -1 } else { loop.wait() }
            }
            unsafe pa_context_set_state_callback(context, nil, nil)
            if code < 0 {
                throw PulseError.noServer(address: server, code: unsafe pa_context_errno(context))
            }
        }
    }

    deinit {
        loop.locked {
            guard let context = unsafe context else { return }
            unsafe pa_context_disconnect(context)
            unsafe pa_context_unref(context)
        }
    }

    /// Transfers the context to the caller, who frees it.
    func release() -> OpaquePointer? {
        defer { unsafe context = nil }
        return unsafe context
    }

    /// By which the streams of Segue's programs are known.
    static let applicationID = "segue"

    static func makeContext(_ api: UnsafeMutablePointer<pa_mainloop_api>) -> OpaquePointer? {
        let properties = unsafe pa_proplist_new()
        defer { unsafe pa_proplist_free(properties) }
        unsafe pa_proplist_sets(properties, "application.name", "Segue")
        unsafe pa_proplist_sets(properties, "application.id", applicationID)
        return unsafe pa_context_new_with_proplist(api, "Segue", properties)
    }

    /// One sink by name, or the server's default.
    func sink(named name: String?) throws(PulseError) -> PulseSink {
        let answer = unsafe ask { context, answer in
            unsafe pa_context_get_sink_info_by_name(context, name ?? "@DEFAULT_SINK@", sinkArrived, answer)
        }
        guard let sink = answer.sinks.first else { throw PulseError.noSink(name: name) }
        return sink
    }

    /// All sinks, in the server's order.
    func sinks() -> [PulseSink] {
        let server = unsafe ask { context, answer in unsafe pa_context_get_server_info(context, serverArrived, answer) }
        let answer = unsafe ask { context, answer in unsafe pa_context_get_sink_info_list(context, sinkArrived, answer)
        }
        return answer.sinks.map { sink in
            var sink = sink
            sink.isDefault = sink.name == server.defaultSink
            return sink
        }
    }

    /// The name of the server's software, such as `pulseaudio`.
    func serverName() -> String? {
        unsafe ask { context, answer in unsafe pa_context_get_server_info(context, serverArrived, answer) }.serverName
    }

    private func ask(
        _ question: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) -> PulseAnswer {
        let answer = PulseAnswer(loop: loop)
        loop.locked {
            guard let context = unsafe context else { return }
            let operation = unsafe question(context, Unmanaged.passUnretained(answer).toOpaque())
            while let operation = unsafe operation, unsafe pa_operation_get_state(operation) == PA_OPERATION_RUNNING,
                unsafe pa_context_get_state(context) == PA_CONTEXT_READY
            {
                loop.wait()
            }
            unsafe Outputs.release(operation)
        }
        return answer
    }
}

/// Collects the reply to one query.
///
/// Filled on the loop's thread while the caller waits.
private final class PulseAnswer {
    let loop: PulseLoop
    var sinks: [PulseSink] = []
    var defaultSink: String?
    var serverName: String?

    init(loop: PulseLoop) { self.loop = loop }
}

private func connectionStateChanged(_ context: OpaquePointer?, _ loop: UnsafeMutableRawPointer?) {
    guard let loop = unsafe loop else { return }
    unsafe Unmanaged<PulseLoop>.fromOpaque(loop).takeUnretainedValue().signal()
}

private func serverArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_server_info>?,
    _ answer: UnsafeMutableRawPointer?
) {
    guard let answer = unsafe answer else { return }
    let target = unsafe Unmanaged<PulseAnswer>.fromOpaque(answer).takeUnretainedValue()
    if let name = unsafe info?.pointee.default_sink_name { target.defaultSink = unsafe String(cString: name) }
    if let name = unsafe info?.pointee.server_name { target.serverName = unsafe String(cString: name) }
    target.loop.signal()
}

private func sinkArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_sink_info>?,
    _ isLast: Int32,
    _ answer: UnsafeMutableRawPointer?
) {
    guard let answer = unsafe answer else { return }
    let target = unsafe Unmanaged<PulseAnswer>.fromOpaque(answer).takeUnretainedValue()
    guard isLast == 0, let info = unsafe info else { return target.loop.signal() }
    target.sinks.append(unsafe PulseSink(info.pointee))
}
