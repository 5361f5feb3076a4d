/// The membership before a revocation or succession that has no effect yet. An object, because the membership contains it.
final class EarlierMembership: Sendable {
  let membership: Membership

  init(_ membership: Membership) { self.membership = membership }
}
