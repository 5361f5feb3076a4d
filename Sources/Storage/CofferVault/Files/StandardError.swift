internal import CofferPlatform

/// The standard error of a program. Nobody may read it any more, so text that cannot be written is dropped.
package enum StandardError {
  package static func write(_ text: String) {
    let bytes = Array(text.utf8)
    unsafe bytes.withUnsafeBytes { _ = unsafe StandardOutput.writeAll($0, to: STDERR_FILENO) }
  }

  package static func line(_ text: String) { write(text + "\n") }
}
