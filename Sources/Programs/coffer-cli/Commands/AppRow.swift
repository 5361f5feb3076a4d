internal import Coffer
internal import Foundation

/// An app in the output of `--json`.
struct AppRow: Encodable {
  struct Group: Encodable {
    let name: String
    let access: String
  }
  let id: String
  let bundleID: String
  let registered: Date
  let hasCredentialHere: Bool
  let isLocked: Bool
  let groups: [Group]

  init(_ app: VaultStatus.Application) {
    id = app.id
    bundleID = app.bundleID
    registered = app.registered
    hasCredentialHere = app.hasCredentialHere
    isLocked = app.requiresPassphrase
    groups = app.groups.map { Group(name: $0.name, access: $0.isWritable ? "read-write" : "read-only") }
  }
}
