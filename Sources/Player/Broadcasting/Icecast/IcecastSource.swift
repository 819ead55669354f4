internal import NIOCore
internal import NIOPosix

/// A source client of an Icecast server, on the streams' event loop.
final class IcecastSource: StreamDestination {
    private let loop: any EventLoop
    private let link: NIOLoopBound<SourceLink>

    init(_ settings: IcecastSettings) throws {
        let loop = streamLoops.next()
        self.loop = loop
        let target = SourceTarget(settings)
        link = try loop.submit { NIOLoopBound(SourceLink(target, on: loop), eventLoop: loop) }.wait()
    }

    func open(_ demand: @escaping @Sendable (StreamDemand) -> Void) {
        loop.execute { [link] in link.value.open(demand) }
    }

    func send(_ packet: StreamPacket) { loop.execute { [link] in link.value.send(.init(packet)) } }

    func show(_ title: String) { loop.execute { [link] in link.value.show(title) } }

    func close() { try? loop.submit { [link] in link.value.close() }.wait() }
}

extension SourceTarget {
    init(_ settings: IcecastSettings) {
        self.init(host: settings.host, port: settings.port, place: settings.place)
        let requests = IcecastRequest(settings: settings)
        request = requests.source
        if !settings.encoding.codec.carriesTitles { titleRequest = { requests.title($0) } }
    }
}
