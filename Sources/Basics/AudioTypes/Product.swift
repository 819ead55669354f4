/// The product's name and version, as reported to programs and servers.
package enum Product {
    package static let name = "Segue"
    /// The version that all of Segue's programs report.
    package static let version = "0.1.0"
}
