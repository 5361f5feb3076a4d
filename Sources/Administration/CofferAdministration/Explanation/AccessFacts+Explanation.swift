package import Coffer
internal import CofferFormat
internal import CofferSystem
package import CofferTrust
package import CofferVault

extension AccessFacts {
  /// Explains why an app can or cannot read each of its groups on this machine, in the order of the registered plist;
  /// groups that only the presented one lists come last. `presented` is nil for the registered plist. Empty for an app
  /// that is not registered and presents no plist. The name is the app's full identifier, or a bundle identifier that
  /// is unique in the vault.
  package func explanations(ofApp name: String, presented: PresentedPlist? = nil) -> [AccessExplanation] {
    var groups = registeredApp(named: name)?.entitlements.groups.map(\.name) ?? []
    groups += (presented?.listed ?? []).map(\.name).filter { !groups.contains($0) }
    return groups.map { explanation(ofApp: name, group: $0.description, presented: presented) }
  }

  /// Explains why an app can or cannot read a group, or an item of it, on this machine, also for an app or a group that
  /// is not registered. The app's name is its full identifier, or a bundle identifier that is unique in the vault; the
  /// group's is with or without the team's prefix. `presented` is nil for the registered plist.
  package func explanation(
    ofApp name: String, group groupName: String, item: FoundItem? = nil, presented: PresentedPlist? = nil
  ) -> AccessExplanation {
    let app = registeredApp(named: name)
    let wanted = fullName(of: groupName, presented)
    let shown = wanted.sanitizedForTerminal()
    let group = membership.groups[GroupID(vault: membership.vault, name: wanted)]
    let entitled = app?.entitlements.groups.first { $0.name.description == wanted }
    let credential = app.flatMap { credentials[$0.id] }
    let lost = lostRight(credential, entitled)
    return AccessExplanation(
      app: app?.id.description ?? name.sanitizedForTerminal(), group: shown,
      machine: own.map { self.name(of: $0) } ?? "this machine",
      isWritable: entitled?.access == .readWrite && lost == nil && headlessMachine == nil,
      links: [
        presented.map { plistLink($0, app, group: wanted, name: name) }
          ?? plistLink(app, entitled, group: shown, name: name),
        registrationLink(app, entitled, presented, name: name),
        principalLink(app, credential, lost: lost, group: shown),
        keyLink(app, group, credential, name: shown),
        recordLink(app, group, item, name: shown),
      ])
  }

  private func registeredApp(named name: String) -> App? {
    let found = membership.apps.values.filter { $0.id.description == name || $0.id.bundleID.description == name }
    return found.count == 1 ? found.first : nil
  }

  /// Returns the full name of a group that may be given without the team's prefix.
  private func fullName(of group: String, _ presented: PresentedPlist?) -> String {
    let prefixed = membership.team.prefix + group
    let isPrefixedKnown =
      membership.groups[GroupID(vault: membership.vault, name: prefixed)] != nil
      || membership.apps.values.contains { $0.entitlements.groups.contains { $0.name.description == prefixed } }
      || presented?.listed.contains { $0.name.description == prefixed } == true
    return isPrefixedKnown ? prefixed : group
  }

  // MARK: Links

  private typealias Link = AccessExplanation.Link

  private func holds(_ kind: Link.Kind, _ sentence: String, advice: String? = nil) -> Link {
    Link(kind: kind, state: .holds, sentence: sentence, advice: advice)
  }

  private func ends(_ kind: Link.Kind, _ sentence: String, _ advice: String) -> Link {
    Link(kind: kind, state: .ends, sentence: sentence, advice: advice)
  }

  /// The end of access by what the log contains. A fork may be the reason.
  private func endsInLog(_ kind: Link.Kind, _ sentence: String, _ advice: String) -> Link {
    guard let fork else { return ends(kind, sentence, advice) }
    return ends(
      kind, "\(sentence) \(fork.words.startingSentence), and what was added on either branch does not count.",
      fork.recoverySuggestion.asSentence)
  }

  private func plistLink(_ app: App?, _ entitled: EntitledGroup?, group: String, name: String) -> Link {
    guard let app else {
      return endsInLog(
        .plist, "No app with the identifier \(name.sanitizedForTerminal()) is registered, so no plist of it is known.",
        Self.registerAdvice)
    }
    guard let entitled else {
      return endsInLog(.plist, "The registered plist of \(app.id.bundleID) does not list \(group).", Self.listAdvice)
    }
    return holds(.plist, "\(group): \(entitled.origin(in: "the registered plist")).")
  }

  /// The link of a plist that the app presents.
  private func plistLink(_ presented: PresentedPlist, _ app: App?, group: String, name: String) -> Link {
    switch presented.entitlements {
    case .failure(let error):
      return ends(
        .plist, error.message.asSentence, error.recoverySuggestion?.asSentence ?? "Correct the plist.")
    case .success(let entitlements):
      let own = entitlements.applicationID
      let isOwn = app.map { $0.id == own } ?? (name == own.description || name == own.bundleID.description)
      guard isOwn else {
        return ends(
          .plist, "The plist \(presented.name) is that of \(own), not of \(name.sanitizedForTerminal()).",
          "Give the plist that the app presents, or ask about \(own.bundleID).")
      }
      guard let listed = entitlements.groups.first(where: { $0.name.description == group }) else {
        return ends(
          .plist, "The plist \(presented.name) does not list \(group.sanitizedForTerminal()).", Self.listAdvice)
      }
      return holds(.plist, "\(group.sanitizedForTerminal()): \(listed.origin(in: "the plist \(presented.name)")).")
    }
  }

  private static let registerAdvice =
    "Register it with: coffer app add FILE.entitlements; if another machine has registered it, run `coffer sync` there, then here."

  private static let listAdvice =
    "Add the group to the app's plist, under keychain-access-groups or, for read access, coffer-read-only-access-groups, and register the plist with: coffer app add FILE.entitlements"

  private func registrationLink(
    _ app: App?, _ entitled: EntitledGroup?, _ presented: PresentedPlist?, name: String
  ) -> Link {
    guard let app else {
      return endsInLog(
        .registration, "The membership log does not register \(name.sanitizedForTerminal()).", Self.registerAdvice)
    }
    if let excess = presented?.excess(over: app.entitlements) {
      let group = excess.group.map { "\($0.sanitizedForTerminal()) " } ?? ""
      return endsInLog(
        .registration,
        "The plist claims more than the registered one: \(group)\(excess.what). The vault does not open for a program that presents it.",
        excess.recoverySuggestion.asSentence)
    }
    guard let entitled, let entry = log.lastRegistration[app.id.description] else {
      return endsInLog(
        .registration, "The membership log does not register this right.", "Register the app's plist.")
    }
    let publishedAccess = published.apps[app.id]?.entitlements.access(to: entitled.name)
    guard let publishedAccess, publishedAccess >= entitled.access else {
      return ends(
        .registration,
        "Entry \(entry.sequence) of the membership log registers the right, but the remote does not have the entry yet, so it does not count.",
        "Publish it with: coffer sync")
    }
    return holds(
      .registration,
      "Entry \(entry.sequence) of the membership log, signed by \(log.signer(of: entry)), registers the app with this right."
    )
  }

  private typealias LostRight = (entry: UInt64, remaining: Entitlements.Access?)

  /// The right that the app's credential has lost, and that a later registration has given to the app again.
  private func lostRight(_ credential: CredentialStatus?, _ entitled: EntitledGroup?) -> LostRight? {
    guard let author = credential?.author.flatMap({ published.authors[$0] }), let entitled else { return nil }
    let group = GroupID(vault: published.vault, name: entitled.name.description)
    return published.lostRight(of: author, to: group, needing: entitled.access)
  }

  private func principalLink(
    _ app: App?, _ credential: CredentialStatus?, lost: LostRight?, group: String
  ) -> Link {
    guard let app, credential != nil else {
      return ends(.principal, "The app has no keys on this machine.", "Register it first.")
    }
    let evidence = evidence(of: app)
    switch evidence.protection {
    case .absent, .unusable:
      return ends(
        .principal, evidence.sentence,
        evidence.advice ?? "Give it a credential with: coffer app install \(app.id.bundleID)")
    case .open, .passphrase, .installed:
      if evidence.protection != .installed, headlessMachine == nil,
        let strict = membership.requirement(of: app.entitlements),
        strict.requirement == .strong
      {
        return ends(
          .principal,
          "\(evidence.sentence) But \(strict.group) requires that no other program can, so the vault does not open for the app.",
          "Install its program: sudo coffer app install \(app.id.bundleID) --setgid PROGRAM")
      }
      if let machine = headlessMachine {
        return holds(
          .principal,
          "The app's keys are in the headless credential \(self.name(of: machine.id)), which only reads, whatever the app may do elsewhere."
        )
      }
      // If access does not end here, nothing has to be done.
      guard let lost else { return holds(.principal, evidence.sentence) }
      let advice = "Give it a new credential with: coffer app install \(app.id.bundleID)"
      let entry = "entry \(lost.entry) of the membership log"
      guard lost.remaining != nil else {
        return ends(
          .principal,
          "The app's credential on this machine lost its rights in \(group) by \(entry), and the app got them back later. Only a new credential has them.",
          advice)
      }
      return holds(
        .principal,
        "\(evidence.sentence) It lost the right to write \(group) by \(entry), and the app got it back later. Only a new credential has it.",
        advice: advice)
    }
  }

  private func keyLink(
    _ app: App?, _ group: RegisteredGroup?, _ credential: CredentialStatus?, name: String
  ) -> Link {
    guard let group else {
      return endsInLog(
        .groupKey, "The membership log has no key of \(name).",
        "Register an app that lists the group, on a machine that may change the membership: coffer app add FILE.entitlements"
      )
    }
    guard let app, let author = credential?.author else {
      return ends(.groupKey, "The key of \(name) is not sealed to the app on this machine.", "Install the app first.")
    }
    guard hasKey(author, of: published.groups[group.id] ?? group) else {
      if let machine = headlessMachine, let expires = machine.expires {
        return ends(
          .groupKey,
          "The newest key of \(name) is not sealed to the headless credential \(self.name(of: machine.id)), which expired on \(expires.date.localText).",
          "Create a new one with: \(HeadlessVault.createCommand)")
      }
      return endsInLog(
        .groupKey, "The newest key of \(name) is not sealed to the app's keys on this machine.",
        "Sync and, if that does not help, give the app a new credential with: coffer app install \(app.id.bundleID)")
    }
    return holds(
      .groupKey,
      "The membership log contains the key of \(name), generation \(group.generations.count), sealed to the app's keys on this machine."
    )
  }

  private func recordLink(_ app: App?, _ group: RegisteredGroup?, _ item: FoundItem?, name: String) -> Link {
    guard let item else { return groupRecordLink(app, group, name: name) }
    if item.attributes.isPasswordProtected {
      return ends(
        .record,
        "The item's record is valid, but its value is protected by an application password, which only its app asks for.",
        "Read it with the app that wrote it, or with Keychain's calls.")
    }
    let writer = item.writer.safeWords
    let conflict =
      item.hasConflict ? " Machines have changed it at the same time; this is the version that reads return." : ""
    let presence =
      item.attributes[.accessControl] == nil ? "" : " Keychain's calls ask the user before they return its value."
    return holds(.record, "The item's record is valid; \(writer) wrote it.\(conflict)\(presence)")
  }

  private func groupRecordLink(_ app: App?, _ group: RegisteredGroup?, name: String) -> Link {
    let number = group.map { itemCount(in: $0.id) } ?? 0
    let refused = unadmitted.entries.filter { $0.accessGroup == name && $0.application == app?.id.description }
    let advice = refused.first.map { "\($0.state == .refused ? "Refused" : "Pending"): \($0.words)." }
    guard number > 0 else {
      return holds(
        .record, "This machine has no items in \(name).",
        advice: advice ?? "If another machine has written some, run `coffer sync` there, then here.")
    }
    return holds(.record, "This machine has \(counted(number, "item")) in \(name).", advice: advice)
  }
}

/// A plist that a program presents when it opens a vault, for an explanation.
package struct PresentedPlist: Sendable {
  /// Its path or another name, safe to show.
  package let name: String
  /// The app and the groups that it names, or why it cannot be read.
  package let entitlements: Result<Entitlements, VaultError>

  /// Reads a plist as ``Vault/open(_:at:creatingIfNeeded:askingForRegistration:)`` does, also if it is not valid. The
  /// membership tells the team and the prefixes that are read as the team's.
  package static func read(_ source: EntitlementsSource, in membership: Membership) -> PresentedPlist {
    var name = "of the program"
    do throws(VaultError) {
      let (bytes, path) = try source.plist()
      name = path.sanitizedForTerminal(limit: .max)
      let document = try EntitlementsSource.parse(bytes, source: path)
      return PresentedPlist(
        name: name,
        entitlements: .success(
          try membership.expand(document, bundleIdentifier: source.bundleIdentifier(for: document))))
    } catch {
      return PresentedPlist(name: name, entitlements: .failure(error))
    }
  }

  /// The groups that it lists; none if it cannot be read.
  var listed: [EntitledGroup] { (try? entitlements.get().groups) ?? [] }

  /// Returns the first claim that goes beyond a registration, for which the vault does not open; nil if there is none.
  func excess(over registered: Entitlements) -> EntitlementsError? {
    guard case .success(let presented) = entitlements else { return nil }
    do throws(EntitlementsError) {
      try presented.checkSubset(of: registered, source: name)
      return nil
    } catch {
      return error
    }
  }
}

extension EntitledGroup {
  /// Returns which part of a plist gives an app the group, as a clause: "the plist lists it under
  /// keychain-access-groups, which gives read and write access". `plist` is what the plist is called.
  package func origin(in plist: String = "the plist") -> String {
    switch key {
    case .applicationIdentifier: "it is the app's own group, which its application-identifier implies"
    case .readOnlyAccessGroups: "\(plist) lists it under \(key.rawValue), which gives read access"
    case .keychainAccessGroups, .applicationGroups:
      "\(plist) lists it under \(key.rawValue), which gives read and write access"
    }
  }
}
