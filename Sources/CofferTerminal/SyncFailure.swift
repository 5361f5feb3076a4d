package import CofferPlatform

/// A failure of `coffer-sync`, which has said why.
package struct SyncFailure: Error {
  package let exitCode: Int32
  /// Its standard output: a report if it finished the sync nevertheless, else empty.
  package let output: Data
  /// What it has printed on standard error; empty if that was this program's.
  package let messages: String
}
