/// A text that a desktop shows for a while, and the page that it leads to.
package struct DesktopNotification: Sendable, Hashable {
    /// One line.
    package let summary: String
    /// Lines, separated by line feeds; no markup.
    package let body: String
    /// A name of the Icon Naming Specification, such as `image-x-generic`.
    package let icon: String
    /// An address for the desktop's browser; `nil` for none.
    package let address: String?

    package init(summary: String, body: String, icon: String, address: String? = nil) {
        (self.summary, self.body, self.icon, self.address) = (summary, body, icon, address)
    }
}
