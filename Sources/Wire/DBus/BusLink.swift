internal import AudioTypes
internal import CSystemd
internal import Files
internal import Glibc

/// A connection to a bus, on the thread that serves it; opened again when it is lost.
@safe
final class BusLink {
    typealias Answer = @Sendable (Result<[BusValue], BusError>) -> Void

    let connection: BusConnection
    private let plan: BusPlan
    private let peer: any BusPeer
    private var bus: OpaquePointer?
    private var backoff = BusBackoff()
    /// Calls that wait for their answers, by the cookies of the messages.
    private var waiting: [UInt64: Answer] = [:]
    /// Calls of others that were not answered yet, by their numbers here.
    private var unanswered: [Int: OpaquePointer] = unsafe [:]
    private var nextCall = 0
    private var hasNews = false

    /// How many calls of others may be unanswered at a time; further ones are refused.
    private static let callLimit = 256
    /// How many messages may wait for the bus to read them; a bus that is further behind is given up, and looked for again.
    private static let queueLimit = 4_096 as UInt64
    /// How many messages are read before others have their turn.
    private static let messagesAtOnce = 64

    init(_ connection: BusConnection, _ plan: BusPlan, _ peer: any BusPeer) {
        self.connection = connection
        self.plan = plan
        self.peer = peer
    }

    deinit { release() }

    // MARK: Opening and closing

    private func open() {
        hasNews = false
        var new: OpaquePointer?
        guard unsafe sd_bus_new(&new) >= 0 else { return fail("out of memory") }
        unsafe bus = new
        var code = unsafe sd_bus_set_address(bus, plan.address.description)
        if code >= 0 { code = unsafe sd_bus_set_bus_client(bus, 1) }
        if code >= 0 { code = unsafe sd_bus_negotiate_fds(bus, 1) }
        if code >= 0 { code = unsafe sd_bus_start(bus) }
        guard code >= 0 else { return fail(unsafe String(cString: strerror(-code))) }
        for rule in plan.matches { callBus("AddMatch", [.string(rule)]) { _ in } }
        request(plan.names[...])
    }

    /// Has the bus looked for, where there is none.
    func lookAgain() { if unsafe bus == nil { hasNews = true } }

    /// Asks for the first of several names that is free.
    private func request(_ names: ArraySlice<String>) {
        guard let name = names.first else {
            if plan.names.isEmpty { callBus("GetId", []) { [connection] _ in connection.post { $0.joined(as: nil) } } }
            return
        }
        // DBUS_NAME_FLAG_DO_NOT_QUEUE; 1 is DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER.
        callBus("RequestName", [.string(name), .uint32(4)]) { [connection] result in
            let isOwned = (try? result.get()) == [.uint32(1)]
            connection.post { link in
                if isOwned { link.joined(as: name) } else { link.request(names.dropFirst()) }
            }
        }
    }

    private func joined(as name: String?) {
        backoff.succeeded()
        peer.connected(as: name)
    }

    private func callBus(_ member: String, _ arguments: [BusValue], then: @escaping Answer) {
        let path = ObjectPath(known: "/org/freedesktop/DBus")
        call(MethodCall(member, of: "org.freedesktop.DBus", at: path, "org.freedesktop.DBus", arguments), then: then)
    }

    private func fail(_ reason: String) {
        release()
        backoff.failed(at: .now)
        peer.disconnected(reason)
        let answers = waiting.values
        waiting = [:]
        for answer in answers { answer(.failure(.disconnected)) }
    }

    private func release() {
        while let call = unsafe unanswered.popFirst() { unsafe sd_bus_message_unref(call.value) }
        if let bus = unsafe bus { unsafe sd_bus_close_unref(bus) }
        unsafe bus = nil
    }

    // MARK: Waiting

    /// The event and the deadline that the connection waits for; opens it when that is due.
    func prepare() -> (event: Readiness, deadline: HostTime?) {
        if unsafe bus == nil, backoff.isDue(at: .now, hasNews: hasNews) { open() }
        guard let bus = unsafe bus else { return (.ended(-1), backoff.next) }
        let events = unsafe sd_bus_get_events(bus)
        var timeout = UInt64.max
        unsafe sd_bus_get_timeout(bus, &timeout)
        let event = unsafe Readiness(
            descriptor: sd_bus_get_fd(bus),
            events: Int16(truncatingIfNeeded: max(0, events))
        )
        let nanoseconds = Int64(clamping: timeout).multiplied(saturatingBy: 1_000)
        return (event, timeout == .max ? nil : HostTime(nanoseconds: nanoseconds))
    }

    /// Reads and handles what has come, and writes what waits.
    func process() {
        for _ in 0..<Self.messagesAtOnce {
            guard let bus = unsafe bus else { return }
            var message: OpaquePointer?
            let code = unsafe sd_bus_process(bus, &message)
            if let message = unsafe message {
                unsafe handle(message)
                unsafe sd_bus_message_unref(message)
            }
            if code < 0 { return fail(unsafe String(cString: strerror(-code))) }
            if code == 0 { return }
        }
    }

    // MARK: Messages that come in

    private func handle(_ message: OpaquePointer) {
        var type: UInt8 = 0
        unsafe sd_bus_message_get_type(message, &type)
        switch Int32(type) {
        case Int32(SD_BUS_MESSAGE_METHOD_CALL): unsafe handle(call: message)
        case Int32(SD_BUS_MESSAGE_METHOD_RETURN), Int32(SD_BUS_MESSAGE_METHOD_ERROR): unsafe handle(answer: message)
        case Int32(SD_BUS_MESSAGE_SIGNAL): unsafe handle(signal: message)
        default: break
        }
    }

    private func handle(call message: OpaquePointer) {
        nextCall += 1
        unsafe unanswered[nextCall] = unsafe sd_bus_message_ref(message)
        let answer = BusAnswer(connection: connection, call: nextCall)
        guard unsafe unanswered.count <= Self.callLimit else { return answer(.failure(.tooMany)) }
        guard let path = ObjectPath(unsafe text(sd_bus_message_get_path(message))) else {
            return answer(.failure(.invalid("the path is too long")))
        }
        do {
            let interface = unsafe text(sd_bus_message_get_interface(message))
            let call = MethodCall(
                unsafe text(sd_bus_message_get_member(message)),
                of: interface.isEmpty ? nil : interface,
                at: path,
                unsafe text(sd_bus_message_get_sender(message)),
                try unsafe MessageBody.read(message)
            )
            peer.receive(call, answer)
        } catch {
            answer(.failure(error))
        }
    }

    private func handle(answer message: OpaquePointer) {
        var cookie: UInt64 = 0
        guard unsafe sd_bus_message_get_reply_cookie(message, &cookie) >= 0,
            let answer = waiting.removeValue(forKey: cookie)
        else { return }
        if let error = unsafe sd_bus_message_get_error(message) {
            answer(.failure(BusError(unsafe text(error.pointee.name), unsafe text(error.pointee.message))))
        } else {
            answer(Result { () throws(BusError) in try unsafe MessageBody.read(message) })
        }
    }

    private func handle(signal message: OpaquePointer) {
        guard let path = ObjectPath(unsafe text(sd_bus_message_get_path(message))),
            let arguments = try? unsafe MessageBody.read(message)
        else { return }
        let interface = unsafe text(sd_bus_message_get_interface(message))
        var signal = BusSignal(unsafe text(sd_bus_message_get_member(message)), of: interface, at: path, arguments)
        signal.sender = unsafe text(sd_bus_message_get_sender(message))
        peer.receive(signal)
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }

    // MARK: Messages that go out

    func emit(_ signals: [BusSignal]) {
        guard let bus = unsafe bus else {
            hasNews = true
            return
        }
        for signal in signals {
            var message: OpaquePointer?
            let (path, member) = (signal.path.description, signal.member)
            guard unsafe sd_bus_message_new_signal(bus, &message, path, signal.interface, member) >= 0,
                let message = unsafe message
            else { continue }
            if unsafe MessageBody.append(signal.arguments, to: message) >= 0 {
                unsafe sd_bus_send(bus, message, nil)
            }
            unsafe sd_bus_message_unref(message)
        }
        giveUpIfBehind()
    }

    /// Gives up a bus that does not read what it is sent.
    private func giveUpIfBehind() {
        var count: UInt64 = 0
        guard let bus = unsafe bus, unsafe sd_bus_get_n_queued_write(bus, &count) >= 0, count > Self.queueLimit else {
            return
        }
        fail("the bus does not read")
    }

    func call(_ call: MethodCall, then answer: @escaping Answer) {
        var message: OpaquePointer?
        let path = call.path.description
        if unsafe bus == nil { hasNews = true }
        guard let bus = unsafe bus,
            unsafe sd_bus_message_new_method_call(bus, &message, call.peer, path, call.interface, call.member) >= 0,
            let message = unsafe message
        else { return answer(.failure(.disconnected)) }
        defer { unsafe sd_bus_message_unref(message) }
        var cookie: UInt64 = 0
        guard unsafe MessageBody.append(call.arguments, to: message) >= 0,
            unsafe sd_bus_send(bus, message, &cookie) >= 0
        else { return answer(.failure(.failed("the call of \(call.member) cannot be sent"))) }
        waiting[cookie] = answer
    }

    /// Answers a call of another program; does nothing when it was answered already, or its connection is gone.
    func answer(_ number: Int, _ result: Result<[BusValue], BusError>) {
        guard let call = unsafe unanswered.removeValue(forKey: number) else { return }
        defer { unsafe sd_bus_message_unref(call) }
        guard let bus = unsafe bus, unsafe sd_bus_message_get_expect_reply(call) > 0 else { return }
        var message: OpaquePointer?
        switch result {
        case .success(let values):
            guard unsafe sd_bus_message_new_method_return(call, &message) >= 0, let made = unsafe message else {
                return
            }
            guard unsafe MessageBody.append(values, to: made) >= 0 else { break }
        case .failure(let error):
            unsafe error.name.withCString { name in
                unsafe error.text.withCString { text in
                    var value = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
                    unsafe sd_bus_message_new_method_error(call, &message, &value)
                }
            }
        }
        guard let message = unsafe message else { return }
        unsafe sd_bus_send(bus, message, nil)
        unsafe sd_bus_message_unref(message)
        giveUpIfBehind()
    }
}
