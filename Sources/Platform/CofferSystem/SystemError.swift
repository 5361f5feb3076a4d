internal import CofferPlatform

/// A failed call of the operating system.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error number, as in `errno`.
  package let number: Int32

  /// The failed action as the beginning of a sentence, for example "cannot start ssh".
  package let action: String

  init(_ number: Int32, _ action: String) {
    self.number = number
    self.action = action
  }

  /// Whether a file or program does not exist.
  package var isNotFound: Bool { number == ENOENT }

  package var description: String { "\(action): \(unsafe String(cString: strerror(number)))" }
}
