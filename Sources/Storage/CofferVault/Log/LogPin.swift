package import CofferFormat

/// What an app knows of the log before it reads the log.
package struct LogPin: Sendable {
  /// The last entry that the app has seen. Its credential has it, so that nobody else can change it.
  package let seen: LogPosition
  /// The key of the folds that the app has verified.
  package let key: FoldKey

  package init(seen: LogPosition, key: FoldKey) {
    self.seen = seen
    self.key = key
  }
}
