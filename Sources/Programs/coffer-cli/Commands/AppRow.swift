internal import Coffer
internal import CofferInspection
internal import CofferPlatform

/// An app in the output of `--json`.
struct AppRow: Encodable {
  struct Group: Encodable {
    let group: String
    let access: AccessGraph.Access
  }
  let id: String
  let bundleID: String
  let registered: Date
  let hasCredentialHere: Bool
  let enforcement: AppEnforcement
  let needsNewCredential: Bool
  let requiresPassphrase: Bool
  let groups: [Group]

  init(_ app: VaultStatus.Application) {
    id = app.id
    bundleID = app.bundleID
    registered = app.registered
    hasCredentialHere = app.hasCredentialHere
    enforcement = app.enforcement
    needsNewCredential = app.needsNewCredential
    requiresPassphrase = app.requiresPassphrase
    groups = app.groups.map { Group(group: $0.name, access: $0.isWritable ? .readWrite : .read) }
  }
}
