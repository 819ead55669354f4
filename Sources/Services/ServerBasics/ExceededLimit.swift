package import LineProtocol

/// The refusal of a request that needs more than the configuration allows.
///
/// - Parameter limit: The name of the limit in the table `limits`.
package func exceeds(_ limit: String, _ value: Int, _ code: AckCode = .badArgument) -> AckError {
    AckError(code, "more than limits.\(limit) = \(value)")
}
