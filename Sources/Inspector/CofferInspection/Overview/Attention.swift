package import CofferPlatform
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Something in a vault that its owner should look at. A new source is one more case.
package enum Attention: Hashable, Sendable {
  /// How soon the owner should act.
  package enum Severity: Int, Hashable, Comparable, Sendable {
    /// A state that the owner may want.
    case notice
    /// Something to do soon.
    case warning
    /// Data or trust is at risk now.
    case urgent

    package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
  }

  /// This machine was removed from the vault: a clause that says when and by whom, and the remote's URL if it is known.
  case removed(String, remote: String?)
  case logFork(LogFork)
  /// Another machine has seen something of the log that this one has not: a clause whose subject is the remote.
  case logClaim(String)
  /// Another program has changed the store.
  case storeChanged
  /// Records that do not count, because the log does not let their author write them.
  case unadmitted(UnadmittedRecords.Entry)
  /// Headless credentials that have expired and were not removed, by name, and when the first one has.
  case expiredCredentials([String], since: Date? = nil)
  /// Machines, by name, that have not synced since somebody was removed from the vault, and when that was.
  case unconfirmed(machines: [String], since: Date? = nil)
  /// Machines ask to be enrolled with these invitations.
  case enrolmentRequests(invitations: [String])
  /// Items whose values somebody knows who was removed from the vault.
  case toReplace(items: Int)
  /// Items that machines have changed at the same time, and the names of their groups.
  case conflicts(items: Int, groups: [String])
  /// Changes that have waited for a sync since this time.
  case unsynced(changes: Int, since: Date, days: Int)
  /// The last syncs have failed: how often, since when, and why the last one has.
  case syncFails(times: Int, since: Date?, message: String, suggestion: String?)
  /// How many problems syncs have found that nobody has read.
  case unreadProblems(Int)
  /// A remote is set, but this machine has never synced.
  case neverSynced
  /// Machines, by name, that have given no sign of life for so many days, or more.
  case silent(machines: [String], days: Int)
  /// The vault is on this machine only.
  case noRemote
  /// The store has lost its remote, with this URL.
  case lostRemote(String)
  /// Apps that are registered, but have no credential here, by bundle identifier.
  case noCredential(apps: [String])
  /// Apps whose credential here lacks rights that they had lost before, by bundle identifier.
  case lackingRights(apps: [String])
  /// Apps whose credential here does not work, by bundle identifier.
  case unusableCredential(apps: [String])
  /// A certificate that has expired, or will soon.
  case certificate(ExpiringCertificate)
  /// The machine's admin keys are not sealed under a passphrase.
  case noPassphrase
  /// This machine keeps the vault key, because nobody has written it down yet.
  case vaultKeyKept
  /// Apps whose credential is not sealed, by bundle identifier, and whether this machine has a passphrase.
  case openCredentials(apps: [String], hasPassphrase: Bool)
  /// The owner's own apps whose credential is not sealed, and whether this machine has a passphrase.
  case ownCredentials(apps: [String], hasPassphrase: Bool)
  /// The vault is on one machine only.
  case singleMachine

  /// Where something that needs attention comes from. A test carries out the advice of each kind.
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    case removed, logFork, logClaim, storeChanged, expiredCredentials, unconfirmed, enrolmentRequests, toReplace
    case conflicts, unsynced, syncFails, unreadProblems, neverSynced, silent, noRemote, lostRemote
    case noCredential, lackingRights, unusableCredential, certificate, noPassphrase, vaultKeyKept
    case openCredentials, ownCredentials, singleMachine
    /// Records that the log does not admit.
    case refused, pending

    /// The kind as `coffer doctor --json` names it, such as `log-fork`.
    package var name: String { rawValue.map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined() }
  }

  package var kind: Kind { row.kind }
  package var severity: Severity { row.severity }
  /// What is the case, in a few words without a full stop.
  package var heading: String { row.heading }

  /// The number of things to do something about.
  package var count: Int {
    switch self {
    case .unadmitted(let entry): entry.records
    case .toReplace(let items), .conflicts(let items, _): items
    default: 1
    }
  }

  /// What is known of each kind apart from its sentences.
  private var row: (kind: Kind, severity: Severity, heading: String) {
    switch self {
    case .removed: (.removed, .urgent, "This machine was removed from the vault")
    case .logFork: (.logFork, .urgent, "The membership log has forked")
    case .logClaim: (.logClaim, .urgent, "Another machine has seen more of the log")
    case .storeChanged: (.storeChanged, .urgent, "Another program has changed the store")
    case .unadmitted(let entry):
      entry.state == .refused
        ? (.refused, .urgent, counted(count, "refused version"))
        : (.pending, .warning, counted(count, "pending version"))
    case .expiredCredentials(let names, _):
      (.expiredCredentials, .warning, Self.words(names, "headless credential", "has expired", "have expired"))
    case .unconfirmed(let names, _):
      (.unconfirmed, .warning, Self.words(names, "machine", "missed a removal", "missed a removal"))
    case .enrolmentRequests(let requests):
      (.enrolmentRequests, .warning, "\(counted(requests.count, "machine asks", "machines ask")) to be enrolled")
    case .toReplace: (.toReplace, .warning, "\(counted(count, "item")) to replace")
    case .conflicts: (.conflicts, .warning, counted(count, "conflict"))
    case .unsynced(let changes, _, _):
      (.unsynced, .warning, "\(counted(changes, "change waits", "changes wait")) for a sync")
    case .syncFails(let times, _, _, _):
      (.syncFails, .warning, times == 1 ? "The last sync has failed" : "The last \(times.grouped) syncs have failed")
    case .unreadProblems(let count):
      (.unreadProblems, .warning, count == 1 ? "A sync has found a problem" : "Syncs have found \(count) problems")
    case .neverSynced: (.neverSynced, .warning, "This machine has never synced")
    case .silent(let names, let days):
      (.silent, .notice, Self.words(names, "machine", "has been silent for \(counted(days: days))", "are silent"))
    case .noRemote: (.noRemote, .notice, "The vault is not synced")
    case .lostRemote: (.lostRemote, .urgent, "The vault has lost its remote")
    case .noCredential(let apps):
      (.noCredential, .notice, Self.words(apps, "app", "has no credential here", "have no credential here"))
    case .lackingRights(let apps):
      (.lackingRights, .warning, Self.words(apps, "app", "lacks rights here", "lack rights here"))
    case .unusableCredential(let apps):
      (.unusableCredential, .warning, Self.words(apps, "app", "cannot open the vault", "cannot open the vault"))
    case .certificate(let certificate):
      (.certificate, certificate.isExpired ? .urgent : .warning, certificate.heading)
    case .noPassphrase: (.noPassphrase, .warning, "This machine has no passphrase")
    case .vaultKeyKept: (.vaultKeyKept, .warning, "The vault key is not written down")
    case .openCredentials(let apps, _):
      (.openCredentials, .notice, Self.words(apps, "app", "needs no passphrase", "need no passphrase"))
    case .ownCredentials(let apps, _):
      (.ownCredentials, .notice, Self.words(apps, "app of yours", "is not sealed", "are not sealed", "apps of yours"))
    case .singleMachine: (.singleMachine, .notice, "The vault is on one machine only")
    }
  }

  /// Names a single thing, and counts several.
  private static func words(
    _ names: [String], _ noun: String, _ one: String, _ several: String, _ plural: String? = nil
  ) -> String {
    names.count == 1 ? "\(names[0]) \(one)" : "\(counted(names.count, noun, plural)) \(several)"
  }

  /// Puts entries of one kind together, in the order of the first of each kind.
  package static func merged(_ entries: [Attention]) -> [(heading: String, entries: [Attention])] {
    var kinds: [Kind] = []
    for entry in entries where !kinds.contains(entry.kind) { kinds.append(entry.kind) }
    return kinds.map { kind in
      let same = entries.filter { $0.kind == kind }
      let count = same.reduce(0) { $0 + $1.count }
      guard same.count > 1 else { return (same[0].heading, same) }
      return switch kind {
      case .certificate: ("\(count.grouped) certificates have expired, or will soon", same)
      case .refused, .pending: (counted(count, "\(kind.name) version"), same)
      default: (same[0].heading, same)
      }
    }
  }

  /// What is the case, as a sentence.
  package var sentence: String {
    switch self {
    case .removed(let words, _): words.asSentence
    case .logFork(let fork): fork.words.asSentence
    case .logClaim(let claim): "The remote \(claim)."
    case .storeChanged: "Another program has changed the vault's store on this machine."
    case .unadmitted(let entry):
      entry.state == .refused
        ? "Refused: \(entry.subject), because \(entry.reason)."
        : "Pending: \(entry.subject), because \(entry.reason)."
    case .expiredCredentials(let names, let since):
      "The headless \(names.count == 1 ? "credential \(names[0]) has" : "credentials \(list(names)) have") expired\(since.map { names.count == 1 ? " on \($0.localText)" : ", the first on \($0.localText)" } ?? ""), and can still open what \(names.count == 1 ? "it" : "they") could."
    case .unconfirmed(let machines, let since):
      "The \(machines.count == 1 ? "machine \(machines[0]) has" : "machines \(list(machines)) have") not synced since somebody was removed from the vault\(since.map { " on \($0.localText)" } ?? ""): until then, what \(machines.count == 1 ? "it writes" : "they write") may be sealed under an old key."
    case .enrolmentRequests(let invitations):
      "\(counted(invitations.count, "machine")) \(invitations.count == 1 ? "asks" : "ask") to be enrolled by invitation."
    case .toReplace(let items):
      "\(counted(items, "item")) could be read by somebody who was removed from the vault or may have an old vault key, and \(items == 1 ? "has" : "have") no new value yet."
    case .conflicts(let items, let groups):
      "Machines have changed \(counted(items, "item")) in \(list(groups)) at the same time."
    case .unsynced(let changes, _, let days):
      "\(counted(changes, "change")) of this machine \(changes == 1 ? "has" : "have") waited for a sync for \(counted(days: days))."
    case .syncFails(let times, let since, let message, _):
      "The last sync has failed, \(counted(times, "time")) in a row\(since.map { " since \($0.localText)" } ?? ""): \(message)."
    case .unreadProblems: "Nobody has read what is wrong with the remote or with this machine's store."
    case .neverSynced: "This machine has never synced."
    case .silent(let machines, let days):
      machines.count == 1
        ? "The machine \(machines[0]) has given no sign of life for \(counted(days: days))."
        : "The machines \(list(machines)) have given no sign of life for \(counted(days: days)) or more."
    case .noRemote: "The vault has no remote, so it is not synced."
    case .lostRemote: "The vault's store was damaged and has lost its remote, which has what was synced."
    case .noCredential(let apps):
      "\(list(apps)) \(apps.count == 1 ? "is" : "are") registered, but cannot open the vault on this machine without a credential."
    case .lackingRights(let apps):
      "The \(apps.count == 1 ? "credential" : "credentials") of \(list(apps)) on this machine \(apps.count == 1 ? "lacks" : "lack") rights that \(apps.count == 1 ? "the app" : "the apps") had lost before."
    case .unusableCredential(let apps):
      "The \(apps.count == 1 ? "credential" : "credentials") of \(list(apps)) on this machine \(apps.count == 1 ? "does" : "do") not work."
    case .certificate(let certificate): certificate.sentence
    case .noPassphrase:
      "This machine has no passphrase: any process of this user can read every group and change the membership."
    case .vaultKeyKept:
      "The vault key is not written down: this machine keeps it, and if the machine is lost, the vault cannot be recovered."
    case .openCredentials(let apps, _), .ownCredentials(let apps, _):
      "Any process of this user can act as \(list(apps)), because \(apps.count == 1 ? "its credential is" : "their credentials are") not sealed under the passphrase."
    case .singleMachine: "The vault is on one machine only."
    }
  }

  /// What to do, as a sentence.
  package var advice: String {
    switch self {
    case .removed(_, let remote):
      "Nothing that it writes counts on other machines any more. To come back as a new machine, run `COFFER_HOME=~/new coffer clone \(remote?.shellWord ?? "URL")` with the vault key."
    case .logFork(let fork):
      fork.isOwnVoid
        ? "Follow the other branch with: coffer clone --rejoin --accept-fork"
        : "Compare the head phrase on all machines; to follow the other branch: coffer clone --rejoin --accept-fork"
    case .logClaim: "Compare the head phrase of `coffer status` on both machines, and sync again with: coffer sync"
    case .storeChanged: "Restore it from the signed objects with: coffer check --repair"
    case .unadmitted(let entry): entry.suggestion.asSentence
    case .expiredCredentials(let names, _):
      "Remove \(names.count == 1 ? "it" : "them") with: coffer device revoke \(names.map(\.shellWord).joined(separator: " "))"
    case .unconfirmed(let machines, _):
      "Sync on \(machines.count == 1 ? "it" : "each of them"), then here, with: coffer sync"
    case .enrolmentRequests(let invitations):
      "Compare the words of \(invitations.count == 1 ? "its request" : "each request") on both screens with: \(list(invitations.map { "coffer device approve \($0)" }))"
    case .toReplace:
      "Change each password where it is used, then store the new one. List them with: coffer rotate"
    case .conflicts: "Choose a version of each, or list them with: coffer conflicts"
    case .unsynced, .neverSynced: "Sync with: coffer sync"
    case .unreadProblems: "Read it with: coffer sync"
    case .syncFails(_, _, _, let suggestion): (suggestion ?? "try again with: coffer sync").asSentence
    case .silent(let machines, _):
      "A machine that only reads gives none. If one is lost, remove it with: coffer device revoke \(machines.map(\.shellWord).joined(separator: " "))"
    case .noRemote:
      "Create an empty git repository, and set it with: coffer remote set URL"
    case .lostRemote(let url): VaultFolder.rejoinSuggestion(from: url).asSentence
    case .noCredential(let apps), .lackingRights(let apps), .unusableCredential(let apps):
      "Give \(apps.count == 1 ? "it" : "each of them") one with: coffer app install \(apps.count == 1 ? apps[0] : "APP")"
    case .certificate(let certificate):
      "Store the one that follows it with `coffer certificate import FILE`, and delete this one with: coffer delete --item \(certificate.item)"
    case .noPassphrase: "Set one with: coffer passphrase set"
    case .vaultKeyKept: "Write it down. It is shown once by: coffer vault-key show"
    case .openCredentials(let apps, let hasPassphrase):
      "This is how apps start without a prompt. To seal one, \(hasPassphrase ? "" : "set a passphrase with `coffer passphrase set`, and ")register it again with: coffer app add --locked \(apps.count == 1 ? apps[0] : "APP")"
    case .ownCredentials(_, let hasPassphrase):
      "Seal what is your own under this machine's passphrase with: coffer passphrase \(hasPassphrase ? "change" : "set")"
    case .singleMachine:
      "If it is lost, only the vault key and the remote recover the items. Add a machine with: coffer clone URL"
    }
  }
}
