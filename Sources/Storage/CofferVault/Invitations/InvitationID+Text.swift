package import CofferFormat

extension InvitationID {
  /// The beginning of the identifier, by which people name an invitation.
  package var shortText: String { String(description.prefix(8)) }
}
