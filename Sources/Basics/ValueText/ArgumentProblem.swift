/// Why a command-line value is invalid: half a sentence that follows "The value … is invalid for …:".
package struct ArgumentProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
