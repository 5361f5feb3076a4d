internal import Foundation

/// A failure of `coffer-sync`, which has printed the reason.
struct SyncFailure: Error {
  let exitCode: Int32
  /// Its standard output: a report if it finished the sync nevertheless, else empty.
  let output: Data
}
