internal import CofferFormat
internal import CofferTrust

/// An access group that an author reaches, with its right.
struct AccessibleGroup: Sendable {
  /// The group and its key generations in the membership log.
  let registered: RegisteredGroup
  let access: Entitlements.Access
  /// The full name, as programs see it.
  let name: String

  var id: GroupID { registered.id }
}
