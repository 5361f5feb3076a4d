internal import CofferStore
internal import CofferTrust

extension LocalVault {
  /// Verifies the whole membership log in the store as `coffer check` does, with the sealed forms of its entries.
  package func hasSoundLog() throws(VaultError) -> Bool {
    var check = LogCheck(genesis: try membership().genesis, device: try deviceFile())
    check.run(try translatingErrors { try store.read { try $0.logEntries(after: 0) } }, expecting: nil)
    return check.differences.isEmpty
  }
}
