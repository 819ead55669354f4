internal import Settings

/// The configuration in force, shared by all parts of the server; a reload replaces it while the server runs.
///
/// Belongs to the server's event loop.
final class CurrentConfiguration {
    var value: Configuration

    init(_ value: Configuration) { self.value = value }
}
