internal import CSodium

/// libsodium, initialised once per process before the first call into it.
enum Sodium {
  private static let isReady = sodium_init() >= 0

  /// Stops the program if libsodium cannot be initialised: without a source of randomness, every new key would be
  /// predictable.
  static func require() {
    precondition(isReady, "libsodium could not be initialised: the system provides no random numbers")
  }
}
