internal import CofferFormat
internal import CofferStore
internal import CofferVault

extension Importer {
  /// Discards unpublished entries that enrol a machine by an invitation that has ended: an approval that was interrupted must
  /// not be published after the expiry, by this machine's clock, or after a second request or a cancellation.
  mutating func discardEndedApprovals() throws {
    guard try local.store.read({ try $0.publishedLogLength() < $0.logLength() }) else { return }
    // If the file is damaged, the exchange of requests says so.
    let invitations = (try? local.invitationBook().invitations()) ?? []
    let now = Timestamp.now
    let ended = try local.store.write { writer in
      let approved = try writer.unpublishedLogEntries().compactMap { stored -> InvitationID? in
        guard case .device(let statement)? = try? Statement.parse(LogEntry(bytes: stored.entry)),
          case .invited(let invitation, _) = statement.role
        else { return nil }
        return invitation
      }
      let ended = approved.first { id in
        !invitations.contains { $0.id == id && $0.state == .open && now < $0.expires }
      }
      if ended != nil { try writer.withdrawUnpublishedLog() }
      return ended
    }
    guard let ended else { return }
    report.add(
      .invitation,
      "the approval of the invitation \(ended.shortText) was not published before the invitation ended, and is discarded: nobody was enrolled; invite again: coffer device invite"
    )
  }
}
