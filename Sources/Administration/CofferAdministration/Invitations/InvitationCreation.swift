internal import Coffer
package import CofferCrypto
package import CofferFormat
package import CofferPlatform
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Invites a new machine: makes a code with which it can ask, once, to be enrolled.
///
/// Nothing is written to the log or to the remote. What the code gives is decided here and kept on this machine; the
/// request is approved here too, see ``InvitationApproval``.
package struct InvitationCreation: Sendable {
  /// What an invitation gives.
  package struct Request: Sendable {
    /// Whether the machine becomes an admin, with every registered app.
    package let isForAdmin: Bool
    /// The apps of a member.
    package let applications: Set<ApplicationID>
    /// The name that the machine gets; nil for the one that it asks for.
    package let name: String?
    /// From this time on, no request is approved; at most 30 days from now.
    package let expires: Date

    package init(isForAdmin: Bool, applications: Set<ApplicationID>, name: String?, expires: Date) {
      self.isForAdmin = isForAdmin
      self.applications = applications
      self.name = name
      self.expires = expires
    }
  }

  /// A new invitation with its code, which is kept nowhere.
  package struct Created: Sendable {
    package let code: InvitationCode
    package let invitation: Invitation

    /// Returns the line of `coffer pair`, with the address of the remote. Throws `invalidArgument` for an address that
    /// cannot be in it.
    package func pairingLine(to address: String) throws(VaultError) -> SecretText {
      do throws(PairingToken.ParseError) {
        return try PairingToken(code, address: address).text
      } catch {
        throw VaultError(
          .invalidArgument, "the remote's URL cannot be part of a line",
          recoverySuggestion: "use: coffer device invite --admin")
      }
    }
  }

  private let local: LocalVault

  package init(in local: LocalVault) { self.local = local }

  private static let longestSeconds: TimeInterval = 30 * 24 * 60 * 60

  /// Makes an invitation and its code. Throws `notEntitled` if this machine is no admin, and `invalidArgument` if the
  /// vault has no remote, for a name that is not valid, for a time that is not within 30 days, and if there are too
  /// many invitations.
  package func run(_ request: Request) throws(VaultError) -> Created {
    if let error = try local.memberError() { throw error }
    if let error = try local.revocationError() { throw error }
    _ = try local.requiredRemote(for: ", through which a new machine could ask")
    if let name = request.name { try VaultCreation.checkDeviceName(name) }
    let now = Timestamp.now.date
    guard request.expires > now, request.expires <= now.addingTimeInterval(Self.longestSeconds + 1) else {
      throw VaultError(
        .invalidArgument, "an invitation expires within 30 days",
        recoverySuggestion: "give a time such as: --expires 24h")
    }
    guard request.applications.count <= Limits.appsPerInvitation else {
      throw VaultError(
        .invalidArgument, "an invitation gives at most \(Limits.appsPerInvitation) apps",
        recoverySuggestion: "give the others later with: coffer app install APP --on NAME")
    }
    let membership = try local.publishedMembership()
    let code = InvitationCode.random(for: membership.genesis.hash)
    let invitation = Invitation(
      key: code.key, created: Timestamp(now), expires: Timestamp(request.expires), isForAdmin: request.isForAdmin,
      applications: request.applications.map(\.description).sorted(), name: request.name)
    try local.invitationBook().add(invitation, used: Set(membership.invitations.keys))
    return Created(code: code, invitation: invitation)
  }
}

extension InvitationCode {
  /// Reads a code as a person has typed it. Case, spaces and hyphens are ignored, and the prefix may be left out.
  /// Throws `authenticationFailed` if the text is no code, or its checksum does not match. The messages differ, and
  /// neither contains the text.
  package static func typed(_ text: SecretText) throws(VaultError) -> InvitationCode {
    do throws(InvitationCode.ParseError) {
      return try InvitationCode(parsing: text)
    } catch .mistyped {
      throw VaultError(
        .authenticationFailed, "the invitation's code is mistyped: its checksum does not match",
        recoverySuggestion: "compare it with the screen of the machine that invites")
    } catch {
      if !isMeant(by: text), let code = try? InvitationCode(parsing: withPrefix(text)) { return code }
      let isVaultKey = (try? VaultKey(parsing: text)) != nil
      throw VaultError(
        .authenticationFailed,
        isVaultKey ? "this is a vault key and not the code of an invitation" : "this is not the code of an invitation",
        recoverySuggestion: isVaultKey
          ? "to clone with the vault key, leave out --invite; nothing was sent"
          : "a code has the form \(prefix)-XXXX-… with twelve groups of four; make one with: coffer device invite")
    }
  }

  private static func withPrefix(_ text: SecretText) -> SecretText {
    SecretText(capacity: prefix.utf8.count + text.count) { whole in
      for character in prefix.utf8 { whole.append(character) }
      unsafe text.withBytes { bytes in
        for index in bytes.indices { whole.append(unsafe bytes[index]) }
      }
    }
  }
}
