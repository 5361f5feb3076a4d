import Foundation

/// Somebody who tries to use the items of the access group `com.example.photo.purchases`.
enum AccessActor: String, CaseIterable {
  case entitled = "An app with the group in its plist, on an admin machine"
  case readOnly = "An app with the group in its read-only groups"
  case notEntitled = "An app without the group in its plist"
  case foreignTeam = "An app with the plist of another team"
  case editedPlist = "An app whose plist got the group after its registration"
  case member = "The first app, on a member machine"
  case removedAdmin = "The first app, on a machine that is no admin any more"
  case removedApp = "The first app, after it was removed"
  case revokedDevice = "The first app, on a machine that was revoked"
  case copyFromBefore = "The first app, in a copy of a machine from before it was revoked"
  case headless = "The first app, with a headless credential"
  case expired = "The first app, with a headless credential that expired before the group got a new key"
  case forgedStatement = "An app that a forged statement registers with the group"
  case nonAdminStatement = "An app that a member's statement registers with the group"
  case replayedStatement = "An app that lost the group, with its older registration replayed"
}
