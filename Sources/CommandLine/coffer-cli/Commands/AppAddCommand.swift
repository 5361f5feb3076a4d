internal import ArgumentParser
internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct AppAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Register an app, or a changed plist of it, and give it a credential on this machine.",
    discussion: """
      The app may then use the access groups in its plist, on this machine and on machines cloned later. With --desktop, it is \
      a program that knows nothing of Coffer and uses the Secret Service of the desktop, such as a Flatpak:

      coffer app add --desktop org.gnome.Fractal

      The identifier of a registered app stands for the plist that the vault has, to change what protects its credential:

      coffer app add --locked com.example.app

      Before an app gets a group of your own, such as one of `coffer group create`, you are asked.

      An app that loses groups by a changed plist is asked for first. What it wrote so far stays valid, and the groups that \
      it may not read any more get new keys. What it could read before, it may have kept. If it goes on writing while this \
      command runs, what arrives late is refused: see `coffer refused`. To come back to a group later, \
      it needs a new credential on each machine: coffer app install.
      """)
  @Argument(
    help: ArgumentHelp(
      "The app's entitlements plist, or the identifier of a registered app.", valueName: "file.entitlements"),
    completion: .file())
  var file: String?
  @OptionGroup var desktop: DesktopAppOptions
  @Option(help: ArgumentHelp("The value of $(CFBundleIdentifier).", valueName: "id"))
  var bundleID: String?
  @Option(
    help: ArgumentHelp(
      "A literal team prefix in the plist, such as ABCDE12345, to replace by this vault's prefix.", valueName: "prefix")
  )
  var sourcePrefix: String?
  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Protect the app's credential on each machine with that machine's passphrase.",
      discussion: "The vault is then locked for the app until the passphrase is entered. Default: unchanged."))
  var locked: Bool?
  @Flag(name: .shortAndLong, help: "Do not ask whether a loss of rights, or access to a group of your own, is meant.")
  var yes = false
  @Flag(help: "Print JSON: the app, its groups, and what it gained and lost.")
  var json = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  func validate() throws {
    guard (file == nil) != (desktop.name == nil) else {
      throw ValidationError("give the app's entitlements plist, or a program of the desktop with --desktop")
    }
    guard file != nil || (bundleID == nil && sourcePrefix == nil) else {
      throw ValidationError("--bundle-id and --source-prefix are for a plist")
    }
  }

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let request = try request(in: local)
    // The passphrase is asked for once, even if the change is repeated because another machine's came first.
    let source = passphrase.source(of: local).rememberingFirst()
    let registration = AppRegistration(local, passphrase: source, allowingLogFork: claims.allowsLogFork)
    let accepted = try confirmedLosses(registration.preview(request), in: local.publishedMembership())
    var outcome: AppRegistration.Outcome?
    try SyncProgram.publication.register(in: local) { (attempt) throws(VaultError) in
      // What the app writes must not prevent that it loses its rights.
      let registered = try registration.register(
        request, requiresPassphrase: locked, accepting: accepted, despiteNewRecords: attempt > 1)
      outcome = registered
      return (registered.credentials, registered.position)
    }
    guard let outcome else { return }
    if outcome.isChanged { AgentProgram.keepNewKeys(of: local, source) }
    try report(outcome)
  }

  private func request(in local: LocalVault) throws(VaultError) -> AppRegistration.Request {
    if let request = try desktop.request() { return request }
    let file = file ?? ""
    if bundleID == nil, sourcePrefix == nil, isAbsent(file), let name = try? local.application(named: file) {
      let membership = try local.publishedMembership()
      if let app = membership.apps[name] { return AppRegistration.Request(of: app, in: membership.team) }
    }
    let plist = try readEntitlements(at: URL(fileURLWithPath: file), missing: .invalidArgument)
    return AppRegistration.Request(plist: plist, source: file, bundleID: bundleID, sourcePrefix: sourcePrefix)
  }

  /// Shows what the app loses, and which groups of the owner's own it gains. Asks whether that is meant, and returns
  /// the losses that are; nil for any.
  private func confirmedLosses(
    _ preview: RegistrationPreview, in membership: Membership
  ) throws -> [RightsChange.Group]? {
    if yes { return nil }
    let (lost, gained) = (preview.change.lost, preview.change.gained)
    let isOwn = preview.application.bundleID.description == PersonalApp.bundleIdentifier
    let own = isOwn ? [] : gained.filter { PersonalApp.owns($0.name, in: membership) }
    guard !lost.isEmpty || !own.isEmpty else { return [] }
    var lines = own.isEmpty ? [] : ["\(preview.application) gets what is your own:"] + own.map { "    \($0.words)" }
    if !lost.isEmpty {
      lines += ["\(preview.application) loses:"] + lost.map { "    \($0.words)" }
      if !gained.isEmpty { lines += ["It gains:"] + gained.map { "    \($0.words)" } }
    }
    if !preview.renewedGroups.isEmpty {
      lines.append(
        "Access groups that get new keys: \(preview.renewedGroups.map(\.description).joined(separator: ", "))")
      lines.append("Items there that the app could read: \(preview.itemCount); their values should be replaced.")
    }
    try Confirmation.ask(after: lines)
    return lost
  }

  private func report(_ outcome: AppRegistration.Outcome) throws {
    let groups = outcome.entitlements.groups
    guard !json else {
      return try Output.json(object: [
        "app": outcome.application.description, "isChanged": outcome.isChanged,
        "groups": groups.map { JSONObject.group($0.name.description, AccessGraph.Access($0.access)) },
        "gained": outcome.change.gained.map(\.json), "lost": outcome.change.lost.map(\.json),
      ])
    }
    try Output.line("\(outcome.application) \(outcome.isChanged ? "is registered" : "was already registered").")
    for group in groups {
      let notes = [
        group.access == .readOnly ? "read only" : "", group.name == outcome.entitlements.defaultGroup ? "default" : "",
      ].filter { !$0.isEmpty }
      try Output.line("    \(group.name)\(notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))")")
    }
    for lost in outcome.change.lost { try Output.line("It lost \(lost.words).") }
    if outcome.needsInstallation {
      let id = outcome.application.bundleID
      Terminal.printNote(
        "it gets no credential file; install its program with: sudo coffer app install \(id) --setgid PROGRAM")
    }
  }
}

extension RightsChange.Group {
  /// What is gained or lost, as a noun phrase.
  fileprivate var words: String {
    switch (before, after) {
    case (.readWrite?, .readOnly?), (.readOnly?, .readWrite?): "writing \(name)"
    case (.readOnly?, _), (_, .readOnly?): "reading \(name)"
    default: "reading and writing \(name)"
    }
  }

  fileprivate var json: JSONObject {
    ["group": name.description, "before": AccessGraph.Access(before), "after": AccessGraph.Access(after)]
  }
}

extension AccessGraph.Access {
  /// The access that a registration gives; nil for none.
  fileprivate init(_ access: Entitlements.Access?) {
    self =
      switch access {
      case nil: .none
      case .readOnly?: .read
      case .readWrite?: .readWrite
      }
  }
}

/// A program of the desktop that gets a collection of its own from `coffer-secret-service`, in place of a plist.
struct DesktopAppOptions: ParsableArguments {
  @Option(
    name: .customLong("desktop"),
    help: ArgumentHelp(
      "Instead of a plist: a program that uses the Secret Service, which then has a collection of its own.",
      discussion: """
        The application ID of a Flatpak, the name of a snap, or the group of setgid programs. Without one of the next three \
        options, a name with a dot is that of a Flatpak, that of a group of this machine is a group, and every other one is that \
        of a snap. Programs without one of them share one collection, that of coffer.desktop.
        """, valueName: "name"))
  var name: String?
  @Flag(help: "The name is that of a Flatpak.")
  var flatpak = false
  @Flag(help: "The name is that of a snap.")
  var snap = false
  @Flag(help: "The name is that of a group of the system, which no user is a member of.")
  var systemGroup = false
  @Option(
    name: .customLong("group"),
    help: ArgumentHelp(
      "With --desktop: another access group that the program reads and writes. Repeat it for more.", valueName: "group"),
    completion: .custom(VaultCompletion.groups))
  var groups: [String] = []
  @Option(
    name: .customLong("read-only-group"),
    help: ArgumentHelp(
      "With --desktop: another access group that the program only reads. Repeat it for more.", valueName: "group"),
    completion: .custom(VaultCompletion.groups))
  var readOnlyGroups: [String] = []

  func validate() throws {
    let kindCount = [flatpak, snap, systemGroup].count { $0 }
    guard kindCount <= 1 else { throw ValidationError("give one of --flatpak, --snap and --system-group") }
    guard name != nil || (kindCount == 0 && groups.isEmpty && readOnlyGroups.isEmpty) else {
      throw ValidationError(
        "--flatpak, --snap, --system-group, --group and --read-only-group require --desktop; a plist lists its groups")
    }
  }

  /// The registration of the program; nil for an app with a plist. Throws `invalidArgument` for a name that no such
  /// program has, and for a group that proves nothing on this machine.
  func request() throws(VaultError) -> AppRegistration.Request? {
    guard let name else { return nil }
    let program = try program(named: name)
    if case .group = program {
      guard let identifier = SystemGroup.identifier(of: name) else {
        Terminal.printNote(
          "this machine has no group \(name.sanitizedForTerminal()), so no program here is told apart by it")
        return try AppRegistration.Request(of: program, sharing: groups, reading: readOnlyGroups)
      }
      if let weakness = SystemGroup.weakness(of: identifier) {
        throw VaultError(
          .invalidArgument, "the group \(name) tells no program from others: \(weakness)",
          recoverySuggestion:
            "name a group that only setgid programs have, or take the users out of it with: sudo gpasswd --delete USER \(name.shellWord)"
        )
      }
    }
    return try AppRegistration.Request(of: program, sharing: groups, reading: readOnlyGroups)
  }

  private func program(named name: String) throws(VaultError) -> DesktopProgram {
    if name == OwnApp.desktop.bundleIdentifier, !flatpak, !snap, !systemGroup { return .other }
    if flatpak || (!snap && !systemGroup && name.contains(".")) {
      guard name.contains(".") else {
        throw Self.malformed(
          name, "a Flatpak's application ID has a dot; list them with: flatpak list --columns=application")
      }
      return .flatpak(name)
    }
    if systemGroup || (!snap && SystemGroup.identifier(of: name) != nil) { return .group(name) }
    let isSnap = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isSnap, !name.isEmpty else {
      throw Self.malformed(name, "a snap's name has lower-case letters, digits and hyphens; list them with: snap list")
    }
    return .snap(name)
  }

  private static func malformed(_ name: String, _ suggestion: String) -> VaultError {
    VaultError(
      .invalidArgument, "\(name.sanitizedForTerminal()) is no name of a program of the desktop",
      recoverySuggestion: suggestion)
  }
}
