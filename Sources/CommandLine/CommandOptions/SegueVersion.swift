private import AudioTypes

/// The version that all of Segue's programs report.
package let segueVersion = Product.version
