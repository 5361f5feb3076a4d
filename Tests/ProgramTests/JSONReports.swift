import Foundation

/// The output of `coffer status --json`.
struct StatusReport: Decodable {
  struct Machine: Decodable, Equatable {
    let name: String
    let isThisMachine: Bool
    let isAdmin: Bool
  }
  let vault: String
  let team: String
  let machines: [Machine]
  let appCount: Int
  let groupCount: Int
  let itemCount: Int
  let conflictCount: Int
  let logLength: Int
  let headPhrase: String
  let keepsVaultKey: Bool
  let remote: String?
  let lastSync: Date?
  let asOf: Date
  let unsyncedChanges: Int
  let pendingRecords: Int
  let refusedRecords: Int
}

/// One row of `coffer list --json`.
struct ItemRow: Decodable {
  let `class`: String
  let reference: String
  let group: String
  let service: String
  let account: String
  let label: String?
  let created: Date
  let modified: Date
  let writerApp: String?
  let writerMachine: String
  let hasConflict: Bool
}

/// One row of `coffer app list --json`.
struct AppRow: Decodable {
  struct Group: Decodable, Equatable {
    let group: String
    let access: String
  }
  let id: String
  let bundleID: String
  let hasCredentialHere: Bool
  let enforcement: String
  let groups: [Group]
}

/// One row of `coffer group list --json`.
struct GroupRow: Decodable {
  let group: String
  let itemCount: Int
  let conflictCount: Int
  let keyGeneration: Int
  let requirement: String
  let readers: [String]
  let writers: [String]
}
