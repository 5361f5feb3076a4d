package import Coffer
package import CofferCrypto
package import CofferFormat
internal import CofferPlatform
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Enrols this machine, which was invited: makes its keys and its request, and takes the answer.
///
/// The machine waits in a folder of its own, see ``StagingFolder/waiting(for:)``, so that another run of the program
/// goes on with the same request.
package struct InvitedEnrolment: Sendable {
  private let folder: VaultFolder
  private let pending: PendingEnrolment

  /// Returns the enrolment that waits in a folder; nil if there is none.
  package static func pending(in folder: VaultFolder) throws(VaultError) -> InvitedEnrolment? {
    guard folder.requestFile.exists else { return nil }
    return InvitedEnrolment(
      folder: folder, pending: try folder.requestFile.read())
  }

  /// Checks that a download in `incoming` is of the vault for which a code was made, and returns the hash of its
  /// genesis. Nothing else of it is verified. Throws `integrity` for another vault, and for a repository without a
  /// vault.
  package static func checkVault(in folder: VaultFolder, for code: InvitationCode) throws(VaultError) -> EntryHash {
    // An attacker with push access could have added a branch of another vault.
    guard let genesis = try VerifiedDownload.geneses(of: folder.incoming).map(\.hash).first(where: code.isFor) else {
      throw VaultError(
        .integrity, "the repository holds another vault than the one for which the code was made",
        recoverySuggestion:
          "compare the URL with `coffer remote show` on the machine that made the code; if they are equal, do not trust the repository's host: it shows this machine a false vault. Nothing was sent or stored"
      )
    }
    return genesis
  }

  /// Makes this machine's keys and its request, which waits for its answer in a folder with a download in `incoming`.
  /// `name` is what the machine asks for. Throws `invalidArgument` for a name that is not valid.
  package static func begin(
    in folder: VaultFolder, code: InvitationCode, url: String, name: String, protection: AdminProtection
  ) throws(VaultError) -> InvitedEnrolment {
    try VaultCreation.checkDeviceName(name)
    guard url.utf8.count <= Limits.urlByteCount else {
      throw VaultError(.invalidArgument, "the URL is too long", recoverySuggestion: "give another one")
    }
    let genesis = try checkVault(in: folder, for: code)
    let (device, delivery) = (PartyKeys.random(), AgreementKey.random())
    try folder.deviceFile.write(
      DeviceFile(genesis: genesis, keys: device, localSecret: .random(count: 32), transportKeys: []))
    try protection.write(delivery, of: genesis, to: folder.deliveryFile)
    let pending = PendingEnrolment(
      key: code.key, url: url,
      request: InvitationRequest(
        genesis: genesis, nonce: Bytes16(Random.bytes(count: 16)) ?? .zero, keys: device.publicKeys,
        deliveryKey: delivery.publicKey, name: name))
    // Last: without it, the next run begins anew.
    try folder.requestFile.write(pending)
    return InvitedEnrolment(folder: folder, pending: pending)
  }

  package var invitation: InvitationID { pending.key.id }
  /// The repository's URL.
  package var url: String { pending.url }
  /// The words of the request, to be compared with the inviter's screen.
  package var words: String { pending.request.hash.phrase }
  /// The name that the machine asks for.
  package var name: String { pending.request.name }
  /// The name of the request in the repository.
  package var label: Bytes16 { pending.key.label(of: pending.request.hash) }
  /// The file for the repository.
  package var file: [UInt8] { pending.file }
  /// Whether the request was made with a code.
  package func isOf(_ code: InvitationCode) -> Bool { code.key.id == invitation }

  /// Whether a file is an answer to the request, sealed under the code.
  package func opens(_ file: [UInt8]) -> Bool {
    (try? InvitationAnswer(opening: file, for: pending.request.hash, with: pending.key)) != nil
  }

  /// Returns the error of an answer that refuses the request, which is final; nil for another answer.
  package func refusal(in file: [UInt8]) -> VaultError? {
    guard let answer = try? InvitationAnswer(opening: file, for: pending.request.hash, with: pending.key),
      case .refused(let refusal) = answer.outcome
    else { return nil }
    return refusal.error
  }

  /// Opens the answer, a file of the repository. Throws `integrity` if it was altered, or answers another request;
  /// `notEntitled` if the request was refused, which is final.
  package func open(_ file: [UInt8]) throws(VaultError) -> InvitationAnswer.Admission {
    let answer: InvitationAnswer
    do throws(FormatError) {
      answer = try InvitationAnswer(opening: file, for: pending.request.hash, with: pending.key)
    } catch {
      throw VaultError(
        .integrity,
        "the answer in the repository does not open: it was altered, or belongs to another request",
        recoverySuggestion:
          "run the same command again, which waits for the right one; if that does not help, do not trust the repository's host, and ask for another code"
      )
    }
    switch answer.outcome {
    case .refused(let refusal): throw refusal.error
    case .admitted(let admission):
      guard answer.genesis == pending.request.genesis else {
        throw VaultError(
          .integrity, "the answer is for another vault than the one for which the code was made",
          recoverySuggestion: "the code is in the wrong hands, or the inviter's program is wrong; ask for another code")
      }
      return admission
    }
  }

  /// Verifies a download that was made after the answer, and builds the vault from it in the folder in which this
  /// machine has waited. Throws `integrity` if the repository shows another vault or an older state than the answer
  /// names, and `notEntitled` if this machine was removed again.
  package func finish(_ admission: InvitationAnswer.Admission) throws(VaultError) -> LocalVault {
    let genesis = pending.request.genesis
    guard try VerifiedDownload.geneses(of: folder.incoming).contains(where: { $0.hash == genesis }) else {
      throw VaultError(
        .integrity, "the repository holds another vault than when this machine asked",
        recoverySuggestion: "check the URL; if it is right, do not trust the repository's host")
    }
    let device = try folder.deviceFile.read(DeviceFile.self)
    let transportKey = try openTransportKey(admission, with: device.keys)
    guard VerifiedDownload.logLength(of: folder.incoming) >= admission.head.sequence else { throw Self.stale }
    let download = try VerifiedDownload.read(
      from: folder.incoming,
      device: DeviceFile(
        genesis: genesis, keys: device.keys, localSecret: device.localSecret, transportKeys: [transportKey]),
      head: admission.head.hash)
    try check(download, admission, device.keys)
    try removeStore()
    try download.createStore(in: folder)
    try folder.deviceFile.write(
      DeviceFile(
        genesis: genesis, keys: device.keys, localSecret: device.localSecret, transportKeys: download.transportKeys))
    let local = try LocalVault.open(folder)
    // Without a summary, the first sync would check every record that it has just imported once more.
    try local.writeSummary()
    return local
  }

  private func openTransportKey(
    _ admission: InvitationAnswer.Admission, with keys: PartyKeys
  ) throws(VaultError) -> TransportKey {
    do throws(CryptoError) {
      return try admission.transportKey(openedBy: keys.agreement)
    } catch {
      throw VaultError(
        .integrity, "the transport key in the answer was not sealed to this machine",
        recoverySuggestion: "the code is in the wrong hands, or the inviter's program is wrong; ask for another code")
    }
  }

  /// Checks that the log has what the answer says.
  private func check(
    _ download: VerifiedDownload, _ admission: InvitationAnswer.Admission, _ keys: PartyKeys
  ) throws(VaultError) {
    let isThere = download.log.contains { $0.entry.position == admission.head }
    guard isThere, download.membership.rootGeneration >= admission.rootGeneration else { throw Self.stale }
    let id = DeviceID(vault: download.genesis.vault, keys: keys.publicKeys)
    guard let machine = download.membership.devices[id], download.membership.invitations[invitation] == id,
      machine.deliveryKey == pending.request.deliveryKey
    else {
      throw VaultError(
        .integrity, "the membership log does not enrol this machine as its request asked",
        recoverySuggestion: "do not trust the repository; compare `coffer log` on the machine that invited this one")
    }
    if let error = download.membership.revocationError(of: id) { throw error }
  }

  private static let stale = VaultError(
    .integrity, "the repository shows an older or other state of the vault than the answer names",
    recoverySuggestion:
      "run the same command again; if that does not help, the host withholds what the inviter has pushed: do not trust it"
  )

  /// Removes what a run that was interrupted has built.
  private func removeStore() throws(VaultError) {
    try translatingErrors {
      for suffix in ["", "-journal", "-shm", "-wal"] {
        let path = folder.storePath + suffix
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
      }
    }
  }

  /// The apps that were given to this machine, with a credential or without.
  package struct InstalledApps: Sendable {
    /// The apps that are ready.
    package fileprivate(set) var installed: [ApplicationID] = []
    /// Why others are not.
    package fileprivate(set) var errors: [VaultError] = []
  }

  /// Takes the credentials of all apps that were given to this machine, after a sync. An app that requires a
  /// passphrase, which this machine does not have, stays without one.
  package static func installApps(
    in local: LocalVault, passphrase: PassphraseSource
  ) throws(VaultError) -> InstalledApps {
    let membership = try local.publishedMembership()
    guard let machine = local.machine(in: membership)?.id else { return InstalledApps() }
    let delivery = AppDelivery(to: local, passphrase: passphrase.rememberingFirst())
    var apps = InstalledApps()
    let given = membership.apps.keys.filter { !membership.delivered($0, to: machine).isEmpty }
    for application in given.sorted(by: { $0.description < $1.description }) {
      do throws(VaultError) {
        try delivery.install(application)
        apps.installed.append(application)
      } catch {
        guard error.code == .invalidArgument else { throw error }
        apps.errors.append(error)
      }
    }
    return apps
  }

  /// Forgets the request. The machine's keys stay.
  package static func forgetRequest(in folder: VaultFolder) { unsafe unlink(folder.requestFile.path) }
}

extension InvitationAnswer.Refusal {
  /// The error for a machine whose request was refused.
  var error: VaultError {
    let again = "ask for another code: coffer device invite"
    return switch self {
    case .cancelled: VaultError(.notEntitled, "the invitation was cancelled", recoverySuggestion: again)
    case .expired: VaultError(.notEntitled, "the invitation had expired", recoverySuggestion: again)
    case .severalRequests:
      VaultError(
        .notEntitled, "two machines have asked with this code, and both were refused",
        recoverySuggestion: "somebody else has it, or it was typed on two machines; \(again)")
    case .used:
      VaultError(
        .notEntitled, "the code was used already, by another machine",
        recoverySuggestion: "somebody else had it, or it was typed on two machines; \(again)")
    }
  }
}
