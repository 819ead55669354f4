package import Settings

/// The configuration in force, shared by all parts of the server; a reload replaces it while the server runs.
///
/// Belongs to the server's event loop.
package final class CurrentConfiguration {
    package var value: Configuration

    package init(_ value: Configuration) { self.value = value }
}
