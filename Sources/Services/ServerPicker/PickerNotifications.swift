package import DesktopNotifications
package import NIOCore
package import ServerBasics
internal import ServerRights
internal import Settings

/// Shows the owner's desktop what waits for an answer.
package protocol DesktopPresenter: Sendable {
    func show(_ notification: DesktopNotification, as key: String)
    func remove(_ key: String)
    /// Removes all.
    ///
    /// - Parameter done: Called on any thread.
    func close(then done: @escaping @Sendable () -> Void)
}

extension DesktopNotifier: DesktopPresenter {}

/// The server, as notifications see it.
package protocol PickerNotificationsDelegate: AnyObject {
    /// The address of the page that answers a request; `nil` without one.
    func pageAddress(for request: PickerID) -> String?
    /// Makes a presenter for the user's desktop; `nil` without a message bus.
    func makeDesktopPresenter() -> (any DesktopPresenter)?
}

/// Tells the owner of requests that wait for an answer by notifications at the desktop: once of each, and for as long as it
/// waits.
///
/// Belongs to the server's event loop.
package final class PickerNotifications {
    private let picker: PickerService
    private let configuration: CurrentConfiguration
    private let loop: any EventLoop
    private unowned let delegate: any PickerNotificationsDelegate
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    /// Made for the first request.
    private var presenter: (any DesktopPresenter)?
    /// The requests that were told, of those that there are yet.
    private var told: Set<PickerID> = []
    private var shown: Set<PickerID> = []
    private var counts = RateCounts(span: 60)
    private var nextUpdate: Scheduled<Void>?
    private var isClosed = false

    /// How many are shown at a time; others are when these do not wait any more.
    package static let mostShown = 4
    /// How many appear in a minute, whoever asks; others appear later, if they still wait.
    package static let mostInAMinute = 8

    package init(
        _ picker: PickerService,
        _ configuration: CurrentConfiguration,
        loop: any EventLoop,
        delegate: any PickerNotificationsDelegate
    ) {
        (self.picker, self.configuration, self.loop, self.delegate) = (picker, configuration, loop, delegate)
    }

    /// Shows the requests that wait, and removes the others.
    package func update() {
        let requests = picker.requests.all
        let waiting = configuration.value.showsNotifications ? requests.filter { $0.state == .waiting } : []
        for id in shown.subtracting(waiting.map(\.id)) { presenter?.remove("\(id)") }
        shown.formIntersection(waiting.map(\.id))
        told.formIntersection(requests.map(\.id))
        for request in waiting where !told.contains(request.id) { show(request) }
    }

    private func show(_ request: PickerRequest) {
        let now = loop.hostTime.seconds
        guard shown.count < Self.mostShown, !isClosed else { return }
        let wait = counts.wait(until: Self.mostInAMinute, of: "", at: now)
        guard wait == 0 else { return updateLater(in: wait) }
        presenter = presenter ?? delegate.makeDesktopPresenter()
        guard let presenter else { return }
        counts.add(1, of: "", at: now)
        told.insert(request.id)
        shown.insert(request.id)
        presenter.show(request.notification(delegate.pageAddress(for: request.id)), as: "\(request.id)")
    }

    private func updateLater(in seconds: Double) {
        guard nextUpdate == nil else { return }
        nextUpdate = onLoop(in: seconds + 0.001) {
            $0.nextUpdate = nil
            $0.update()
        }
    }

    package func close(then done: @escaping @Sendable () -> Void) {
        isClosed = true
        nextUpdate?.cancel()
        guard let presenter = presenter.take() else { return done() }
        presenter.close(then: done)
    }
}

extension PickerRequest {
    /// - Parameter address: That of the page where it is answered.
    fileprivate func notification(_ address: String?) -> DesktopNotification {
        let kind = configuration.kind
        let limit = configuration.limit
        let amount = limit == 1 ? "1 \(kind.singular)" : "up to \(limit) \(kind.plural)"
        let isExtending = configuration.purpose == .extend
        var lines = configuration.prompt.text.isEmpty ? [] : ["“\(configuration.prompt.text)”"]
        lines.append(
            isExtending ? "It sees what you choose from now on." : "It will see only what you choose."
        )
        if address == nil { lines.append("To answer: segue pick --for \(id)") }
        return DesktopNotification(
            summary: "\(asker.name) asks for \(amount)\(isExtending ? " for its library" : "")",
            body: lines.joined(separator: "\n"),
            icon: kind.icon,
            address: address
        )
    }
}

extension PickerConfiguration.Kind {
    /// Of the Icon Naming Specification.
    fileprivate var icon: String {
        switch self {
        case .media(.videos, _): "video-x-generic"
        case .media: "image-x-generic"
        case .songs: "audio-x-generic"
        }
    }
}
