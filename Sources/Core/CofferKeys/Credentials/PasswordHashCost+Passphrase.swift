package import CofferCrypto
internal import CofferSystem

extension PasswordHashCost {
  /// The cost for new passphrases of machines: ``standard``.
  ///
  /// Debug builds use ``floor`` if the environment variable `COFFER_TEST_PASSPHRASE_COST` is `floor`, because tests
  /// unlock vaults thousands of times. A release build does not read the variable, and what is stored says its cost.
  package static let passphrase: PasswordHashCost = {
    #if DEBUG
      if CurrentProcess.environment["COFFER_TEST_PASSPHRASE_COST"] == "floor" { return .floor }
    #endif
    return .standard
  }()
}
