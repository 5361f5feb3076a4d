/// What a new machine becomes.
package enum EnrolledRole: Hashable, Sendable {
  /// An admin, with every registered app.
  case admin
  /// A member, with some apps: full application identifiers, or bundle identifiers.
  case member(apps: [String])
}
