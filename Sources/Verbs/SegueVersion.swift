/// The version that all of Segue's programs report.
package let segueVersion = "0.1.0"
