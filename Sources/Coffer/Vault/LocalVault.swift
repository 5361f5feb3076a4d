internal import CofferFormat
package import CofferStore
package import CofferTrust
internal import Synchronization

/// A vault's folder, opened: its store, and its membership log folded and kept up to date. It holds no key.
package final class LocalVault: Sendable {
  package let folder: VaultFolder
  package let store: Store
  private let folded: Mutex<Membership>

  /// Opens the folder and verifies the whole log.
  package init(_ folder: VaultFolder) throws(VaultError) {
    let store = try folder.openStore()
    self.folder = folder
    self.store = store
    let genesis = try translatingErrors { try store.read { try Genesis(bytes: $0.genesis()) } }
    folded = Mutex(Membership(genesis: genesis))
    _ = try membership()
  }

  /// The membership as it stands in the store now.
  package func membership() throws(VaultError) -> Membership {
    try translatingErrors { try store.read { try membership(in: $0) } }
  }

  /// The membership as it stands in the transaction of `reader`.
  package func membership(in reader: borrowing some StoreAccess & ~Copyable) throws -> Membership {
    var membership = folded.withLock { $0 }
    let head = membership.head
    var entries = try reader.logEntries(after: max(head.sequence, 1) - 1).map { try LogEntry(bytes: $0.entry) }
    if head.sequence > 0 {
      if entries.first?.hash == head.hash {
        entries.removeFirst()
      } else {
        // Unpublished entries were replaced by those of a machine that was faster: fold from the start.
        membership = Membership(genesis: membership.genesis)
        entries = try reader.logEntries(after: 0).map { try LogEntry(bytes: $0.entry) }
      }
    }
    guard !entries.isEmpty || membership.head != head else { return membership }
    for entry in entries { try membership.apply(entry) }
    let current = membership
    folded.withLock { $0 = current }
    return membership
  }

  /// Takes back entries of the membership log that never reached the remote.
  package func discardUnpublishedMembership() throws(VaultError) {
    _ = try translatingErrors { try store.write { try $0.discardUnpublishedLog() } }
  }

  /// The registered application that a full identifier or a unique bundle identifier names.
  package func application(named name: String) throws(VaultError) -> ApplicationID {
    let known = try membership().apps.keys
    let found = known.filter { $0.description == name || $0.bundleID.description == name }
    guard let application = found.first, found.count == 1 else {
      let list = known.map(\.description).sorted().joined(separator: ", ")
      throw VaultError(
        .notEntitled, "no app of this identifier is registered in the vault at \(folder.path)",
        mend: list.isEmpty ? "register one with: coffer app add FILE.entitlements" : "registered are: \(list)")
    }
    return application
  }

  /// The remote's URL; nil where none is set.
  package func remote() throws(VaultError) -> String? { try textSetting(.remoteURL) }

  /// A setting as text; nil where it is absent.
  package func textSetting(_ setting: Setting) throws(VaultError) -> String? {
    let bytes = try translatingErrors { try store.read { try $0.setting(setting) } }
    return bytes.flatMap { String(validating: $0, as: UTF8.self) }
  }
}
