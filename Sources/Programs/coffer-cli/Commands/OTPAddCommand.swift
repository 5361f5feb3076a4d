internal import ArgumentParser
internal import Coffer
internal import CofferCrypto
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct OTPAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Store the seed of an account's one-time codes.",
    discussion: """
      The seed is read from standard input, from a prompt, from a file, or from the picture of a QR code: the otpauth:// address \
      that a service shows, or its text of letters and digits (Base32). It is never an argument, which every user could read.

      Adds the seed to the password with the names. If there is none, creates a generic password with an empty value.
      """)
  @OptionGroup var password: PasswordChoice
  @Option(
    help: ArgumentHelp(
      "Read the QR code in a picture, such as a screenshot. Needs the program zbarimg.", valueName: "file"),
    completion: .file())
  var qr: String?
  @Option(help: ArgumentHelp("Read the seed from a file.", valueName: "file"), completion: .file())
  var fromFile: String?
  @Option(help: ArgumentHelp("For a seed without an address: 6, 7 or 8 digits. Default: 6.", valueName: "number"))
  var digits: Int?
  @Option(
    help: ArgumentHelp(
      "For a seed without an address: how many seconds a code is valid. Default: 30.", valueName: "seconds"))
  var period: Int?
  @Option(
    help: ArgumentHelp(
      "For a seed without an address: SHA1, SHA256 or SHA512. Default: SHA1.", valueName: "algorithm"))
  var algorithm: AlgorithmArgument?
  @Flag(help: "Replace the seed that the password has.")
  var replace = false
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    try password.checkNames()
    if qr != nil && fromFile != nil { throw ValidationError("--qr and --from-file exclude each other") }
  }

  func run() throws {
    let vault = try actor.open(for: password.namesExisting ? .changing(group.group) : .writing(group.group))
    let existing = try existing(in: vault)
    let names = existing.map { [$0.place, $0.account] } ?? [password.service ?? "", password.account ?? ""]
    if existing?.oneTimePassword != nil && !replace {
      throw VaultError(
        .duplicateItem, "the password has one-time codes; nothing was changed",
        recoverySuggestion: "to replace their seed, add --replace")
    }
    let seed = try seed(named: names)
    if let existing {
      try existing.setOneTimePassword(seed, in: vault)
      try Output.line("Added one-time codes to \(Output.cell(existing.title)) in \(existing.group)")
    } else {
      var item = password.genericPassword
      item.oneTimePassword = seed
      try vault.add(Data(), for: item, in: group.group)
      try Output.line(
        "Added one-time codes to the new item \(Output.cell(names.filter { !$0.isEmpty }.joined(separator: ", ")))")
    }
  }

  /// Returns the password with the names; nil if a new one is to be created.
  private func existing(in vault: Vault) throws(VaultError) -> FoundPassword? {
    let found: FoundPassword
    if password.namesExisting {
      found = try password.findOne(in: vault, group: group, as: actor)
    } else {
      let destination = if let group = group.group { group } else { try vault.defaultAccessGroup }
      let all = try password.find(in: vault, group: destination)
      guard let first = all.first else { return nil }
      guard all.count == 1 else { throw PasswordChoice.ambiguous(all) }
      found = first
    }
    try vault.check(.changing(found.group))
    return found
  }

  /// Reads the seed, and checks it.
  private func seed(named names: [String]) throws(VaultError) -> OneTimePassword {
    let title = names.filter { !$0.isEmpty }.joined(separator: ", ")
    let text = try readText(title)
    guard !text.lowercased().hasPrefix("otpauth") else {
      guard digits == nil, period == nil, algorithm == nil else {
        throw VaultError(
          .invalidArgument, "the address says digits, period and algorithm; nothing was changed",
          recoverySuggestion: "leave out --digits, --period and --algorithm")
      }
      return try OneTimePassword(uri: text)
    }
    return try OneTimePassword(
      seed: text, algorithm: algorithm?.algorithm ?? .sha1, digitCount: digits ?? 6, period: period ?? 30,
      issuer: names[0],
      account: names[1])
  }

  private func readText(_ title: String) throws(VaultError) -> String {
    if let qr { return try QRCodePicture.read(qr) }
    let bytes: Data
    if let fromFile {
      bytes = try SecretInput.contents(of: fromFile, what: "seed")
    } else if Terminal.isInput {
      let typed = try Terminal.askHidden(
        "Seed of \(Output.cell(title))", for: "the seed", otherwise: "give it on standard input")
      bytes = unsafe typed.withBytes { unsafe Data($0) }
    } else {
      bytes = try SecretInput.contents(of: "-", what: "seed")
    }
    return String(decoding: bytes, as: UTF8.self).trimmedSpace
  }
}
