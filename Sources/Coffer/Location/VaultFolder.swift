package import CofferStore
package import CofferTrust
package import Foundation

/// The files of one vault on one machine.
///
///     store.sqlite              items, membership log, segments: everything sealed
///     device                    this machine's keys and the transport keys (0600)
///     admin                     this machine's admin keys, under its passphrase where it has one (0600)
///     apps/ID/credential        an app's keys on this machine (0600)
///     cache.git                 what the remote holds; disposable
///     *.lock                    held while a sync or a change of membership runs
package struct VaultFolder: Sendable {
  package let url: URL

  package init(_ url: URL) { self.url = url }

  package init(_ location: VaultLocation) { url = location.folder }

  package var path: String { url.path(percentEncoded: false) }
  package var storePath: String { file("store.sqlite") }
  package var cachePath: String { file("cache.git") }
  /// What a clone downloaded and has not verified yet.
  package var incoming: URL { url.appending(path: "incoming") }
  package var deviceFile: SecretFile { SecretFile(path: file("device"), name: "this machine's keys") }
  package var adminFile: SecretFile { SecretFile(path: file("admin"), name: "this machine's admin keys") }
  package var syncLockPath: String { file("sync.lock") }
  package var membershipLockPath: String { file("membership.lock") }

  /// An app's credential. The identifier is validated: it names a folder.
  package func credentialFile(of application: ApplicationID) -> SecretFile {
    SecretFile(path: file("apps/\(application)/credential"), name: "the credential of \(application)")
  }

  private func file(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

  /// True where a vault's store lies here, or may lie where it cannot be looked at: opening it says why.
  package var exists: Bool { !isAbsent(storePath) }

  /// Opens the store.
  package func openStore() throws(VaultError) -> Store {
    guard exists else {
      throw VaultError(
        .noVault, "there is no vault at \(path)",
        mend: "create one with `coffer init`, or bring one from another machine with `coffer clone URL`")
    }
    do throws(StoreError) {
      return try Store.open(at: storePath)
    } catch {
      throw VaultError(error)
    }
  }
}
