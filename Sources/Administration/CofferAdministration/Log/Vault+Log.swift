public import Coffer
internal import CofferVault

extension Vault {
  /// Returns a part of a vault's membership log in words, newest entry first: who did what when, and who signed it. No
  /// passphrase is needed.
  ///
  /// - Parameters:
  ///   - location: The vault's location; the user's own vault (``VaultLocation/standard()``) if nil.
  ///   - before: The entries before this number; nil for the last ones.
  ///   - limit: The maximum number of entries.
  /// - Returns: The page. ``LogPage/next`` continues it.
  /// - Throws: ``VaultError``: `noVault`; `integrity` for a log that is not valid, which ``verifyLog(at:)`` describes.
  public static func log(
    at location: VaultLocation? = nil, before: UInt64? = nil, limit: Int = 50
  ) throws(VaultError) -> LogPage {
    return try LogPage.read(from: LocalVault.openForReading(at: location), before: before, limit: limit)
  }

  /// Verifies a vault's membership log from its genesis on, without anything that this machine has computed before: every
  /// signature, hash, place and statement, and that the log contains the entries that machines and apps have seen. The
  /// time grows with the number of entries and segments: about 0.1 ms for each.
  ///
  /// - Parameter location: The vault's location; the user's own vault (``VaultLocation/standard()``) if nil.
  /// - Returns: How many entries are valid, and what is wrong.
  /// - Throws: ``VaultError``: `noVault`; `integrity` if the store belongs to another vault than this machine's keys, or
  ///   cannot be read at all.
  public static func verifyLog(at location: VaultLocation? = nil) throws(VaultError) -> LogVerification {
    return try LogVerification.run(in: .at(location))
  }
}
