/// The result of an evaluation, with Apple's values.
public enum SecTrustResultType: UInt32, Sendable {
  /// Not evaluated yet.
  case invalid = 0
  /// Trusted because the user has decided so. Never returned: see ``unspecified``.
  case proceed = 1
  /// Not trusted because the user has decided so. Never returned.
  case deny = 3
  /// Trusted: the chain ends with an anchor. The user has decided nothing.
  case unspecified = 4
  /// Not trusted, for a reason that may change, such as the date, the anchors or the host name.
  case recoverableTrustFailure = 5
  /// Not trusted, because of a defect of the certificates.
  case fatalTrustFailure = 6
  /// The evaluation failed.
  case otherError = 7
}
