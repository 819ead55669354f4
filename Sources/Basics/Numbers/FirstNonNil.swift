extension Sequence {
    /// The first result of `transform` that is not `nil`; `transform` is called once for each element up to there.
    @inlinable package func firstNonNil<Result, Failure>(
        _ transform: (Element) throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        for element in self {
            if let result = try transform(element) { return result }
        }
        return nil
    }
}

extension LazyCollectionProtocol {
    /// Rejects the standard library's lazy `compactMap`, as `TrappingConversions.swift` does with conversions.
    ///
    /// The first element of such a collection is looked for by one call of `transform` and read by a second one. Where the
    /// second answer is `nil`, since another thread has changed what it depends on, the process ends.
    @available(
        *,
        deprecated,
        message:
            "calls its transform twice, and traps when the second answer is nil: use firstNonNil(_:) or compactMap(_:)"
    )
    package func compactMap<Result>(
        _ transform: @escaping (Elements.Element) -> Result?
    ) -> LazyMapCollection<LazyFilterCollection<LazyMapCollection<Elements, Result?>>, Result> {
        map(transform).filter { $0 != nil }.map { $0! }
    }
}
