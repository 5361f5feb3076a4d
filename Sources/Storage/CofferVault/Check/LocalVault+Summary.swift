package import CofferCrypto
package import CofferFormat
package import CofferStore

/// The summary of the store's rows, by which a change that another program made is noticed.
extension LocalVault {
  package func compareSummary() throws(VaultError) -> SummaryComparison {
    let key = try deviceFile().summaryKey
    return try translatingErrors { try store.read { try $0.compareSummary(key) } }
  }

  /// Writes the summary of the rows that the store has now. Only for a store that this program has just created: a change
  /// that another program has made before is never noticed.
  package func writeSummary() throws(VaultError) {
    let key = try deviceFile().summaryKey
    try translatingErrors { try store.write { try $0.replaceSummary(key) } }
  }

  /// Whether another program has changed rows of the store since the last check, as far as the summary tells.
  package func isStoreChanged() throws(VaultError) -> Bool {
    if case .different = try compareSummary() { true } else { false }
  }

  /// Returns the function that reads the key of the summary. It is called at the first write, so that a program that
  /// only reads never opens the device file.
  static func summaryKeySource(_ folder: VaultFolder, genesis: EntryHash) -> @Sendable () -> SymmetricKey? {
    {
      do throws(VaultError) {
        let file = try folder.deviceFile.read(DeviceFile.self)
        return file.genesis == genesis ? file.summaryKey : nil
      } catch {
        return nil
      }
    }
  }
}

extension DeviceFile {
  /// The key that seals the summary of this machine's store, and hashes its rows. It opens no item, so it may outlive a
  /// lock.
  package var summaryKey: SymmetricKey { Hash.key(from: localSecret, domain: .summaryKey) }
}
