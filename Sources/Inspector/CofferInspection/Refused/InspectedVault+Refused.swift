internal import Coffer
internal import CofferCrypto
internal import CofferFormat
package import CofferVault

extension InspectedVault {
  /// Returns the versions that do not count, the one that was written last first. Those that were adopted or written over
  /// are left out.
  package func refusedVersions() throws(VaultError) -> [RefusedVersion] {
    try vault.refusedRecords().filter { $0.obstacle != .followed }.map { RefusedVersion($0) }
  }

  /// Makes a refused version, by its ``RefusedVersion/identifier``, the current one of its item, under the owner's own
  /// signature. With `replacesNewer`, it replaces versions that its author had not seen; otherwise these throw
  /// `itemChanged`. Throws `invalidArgument` if it was adopted before. If it throws, nothing has changed.
  package func adopt(_ identifier: String, replacesNewer: Bool) throws(VaultError) {
    guard let hash = bytes(hexadecimal: identifier).flatMap({ Bytes32($0) }).map({ RecordHash($0) }) else {
      throw VaultError(
        .itemNotFound, "there is no such refused version", recoverySuggestion: "choose one from the list")
    }
    try vault.adopt([hash], overNewer: replacesNewer)
  }
}
