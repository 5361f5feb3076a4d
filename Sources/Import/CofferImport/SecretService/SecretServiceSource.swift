internal import CofferBus
internal import CofferPlatform
internal import CofferSystem

/// The items of the secret service that runs: gnome-keyring, KWallet or KeePassXC, and never Coffer itself.
package struct SecretServiceSource: EntrySource {
  package init() {}

  private static let name = "org.freedesktop.secrets"
  private static let root = "/org/freedesktop/secrets"
  private static let interface = "org.freedesktop.Secret"
  private static let properties = "org.freedesktop.DBus.Properties"
  /// How long a person may take to unlock a collection.
  private static let unlockTimeout = Duration.seconds(300)

  package func read(into sink: inout EntrySink) throws {
    let bus = try Self.connect()
    let opened = try Self.call(
      bus, Self.root, "\(Self.interface).Service", "OpenSession", [.text("plain"), .variant(.text(""))])
    guard opened.count == 2, let session = opened[1].string else {
      throw ImportError(
        "the secret service opened no session", recoverySuggestion: "unlock it, and import again")
    }
    // Only now: the call may have started it.
    try Self.checkIsForeign(bus)
    let collections = try property("Collections", of: Self.root, "Service", bus)
    let paths = collections.elements.compactMap(\.string)
    let standard = try? Self.call(
      bus, Self.root, "\(Self.interface).Service", "ReadAlias", [.text("default")]
    ).first?.string
    var found: [(folder: String, collection: String?, items: [String])] = []
    for path in paths {
      let label = try property("Label", of: path, "Collection", bus).string ?? ""
      if try property("Locked", of: path, "Collection", bus) == .flag(true), try !unlock(path, bus) {
        try sink.skip(label.isEmpty ? path : label, because: "the collection is locked")
        continue
      }
      let items = try property("Items", of: path, "Collection", bus).elements.compactMap(\.string)
      found.append((label, Self.collection(at: path, label: label, standard: standard ?? nil), items))
    }
    try sink.count(found.reduce(0) { $0 + $1.items.count })
    for (folder, collection, items) in found {
      if let collection { try sink.add(SecretServiceItem(collection: collection, label: folder).entry) }
      for item in items {
        do {
          try sink.add(try entry(item, folder, collection, session, bus))
        } catch let error as ImportError {
          try sink.skip("\(folder)/\(label(of: item, bus))", because: error.message)
        }
      }
    }
  }

  /// Returns the identifier that a collection gets in Coffer; nil for the default one, and for all if the service does
  /// not say which that is.
  private static func collection(at path: String, label: String, standard: String?) -> String? {
    let identifier = SecretServiceRecord.collectionIdentifier(ofLabel: label)
    guard let standard, standard != "/", path != standard, !label.isEmpty, !path.hasSuffix("/login"),
      !path.hasSuffix("/session"), !SecretServiceRecord.standardCollections.contains(identifier)
    else { return nil }
    return identifier
  }

  private static func connect() throws(ImportError) -> SessionBus {
    do throws(BusError) {
      return try SessionBus.connect()
    } catch {
      throw ImportError(
        "there is no session bus", recoverySuggestion: "run the command in the desktop session of the secret service")
    }
  }

  /// Throws if Coffer answers as the secret service: its items are in the vault already, and would be there twice.
  private static func checkIsForeign(_ bus: SessionBus) throws(ImportError) {
    guard let owner = try? bus.owner(of: name), let process = bus.process(of: owner),
      ProcessLineage.member(process)?.name == String(ownProgram.prefix(maximumProcessNameLength))
    else { return }
    throw ImportError(
      "Coffer itself is the Secret Service of this session, and what it has is in the vault already",
      recoverySuggestion: "to import from another one, let it answer first: see coffer secret-service status")
  }

  private static let ownProgram = "coffer-secret-service"
  /// The kernel keeps no more of a program's name.
  private static let maximumProcessNameLength = 15

  private static func call(
    _ bus: SessionBus, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue]
  ) throws(ImportError) -> [BusValue] {
    do throws(BusError) {
      return try bus.call(name, path, interface, method, arguments)
    } catch {
      throw failure(method, error)
    }
  }

  private static func failure(_ method: String, _ error: BusError) -> ImportError {
    let reason = error.name.sanitizedForTerminal()
    return ImportError(
      "the secret service did not answer \(method): \(reason)",
      recoverySuggestion: "check that a secret service runs (gnome-keyring, KWallet or KeePassXC) and is unlocked")
  }

  private func property(_ name: String, of path: String, _ kind: String, _ bus: SessionBus) throws -> BusValue {
    try Self.call(
      bus, path, Self.properties, "Get", [.text("\(Self.interface).\(kind)"), .text(name)]
    ).first?.unwrapped ?? .other
  }

  /// Unlocks a collection; its service asks the person. Returns whether it is unlocked.
  private func unlock(_ path: String, _ bus: SessionBus) throws -> Bool {
    let result = try Self.call(bus, Self.root, "\(Self.interface).Service", "Unlock", [.paths([path])])
    guard result.count == 2 else { return false }
    if !result[0].elements.isEmpty { return true }
    guard let prompt = result[1].string, prompt != "/" else { return false }
    do {
      let answer = try bus.awaitSignal(
        "\(Self.interface).Prompt", "Completed", from: prompt, timeout: Self.unlockTimeout
      ) { _ = try Self.call(bus, prompt, "\(Self.interface).Prompt", "Prompt", [.text("")]) }
      return answer.first == .flag(false)
    } catch let error as BusError {
      throw Self.failure("Prompt", error)
    }
  }

  /// The label of an item; its path if the service does not give that.
  private func label(of path: String, _ bus: SessionBus) -> String {
    (try? property("Label", of: path, "Item", bus).string) ?? path
  }

  private func entry(
    _ path: String, _ folder: String, _ collection: String?, _ session: String, _ bus: SessionBus
  ) throws -> ForeignEntry {
    let label = try property("Label", of: path, "Item", bus).string ?? ""
    let secret = try Self.call(bus, path, "\(Self.interface).Item", "GetSecret", [.path(session)]).first
    // The session, the parameters of its encryption, the value, and its type.
    guard let parts = secret?.elements, parts.count == 4, case .bytes(let value) = parts[2] else {
      throw Self.unreadable("value")
    }
    guard case .pairs(_, _, let attributes) = try property("Attributes", of: path, "Item", bus) else {
      throw Self.unreadable("attributes")
    }
    var entry = SecretServiceItem(
      label: label, attributes: attributes.map { ($0.key.string ?? "", $0.value.string ?? "") },
      contentType: parts[3].string ?? "", collection: collection
    ).entry
    entry.folder = folder.isEmpty ? [] : [folder]
    entry.password = value
    entry.created = try date("Created", of: path, bus)
    entry.modified = try date("Modified", of: path, bus)
    return entry
  }

  private static func unreadable(_ what: String) -> ImportError {
    ImportError("the secret service does not give its \(what)", recoverySuggestion: "unlock it, and import again")
  }

  private func date(_ name: String, of path: String, _ bus: SessionBus) throws -> Date? {
    guard case .number(let seconds) = try property(name, of: path, "Item", bus), seconds > 0 else { return nil }
    return Date(timeIntervalSince1970: Double(seconds)).ifReasonable
  }
}

/// An item of a secret service: a label, and attributes that its program has chosen.
struct SecretServiceItem {
  private(set) var entry = ForeignEntry()

  /// The item that stands for a collection, so that the Secret Service of Coffer has one with this name.
  init(collection identifier: String, label: String) {
    entry.identifier = "collection\u{1F}\(identifier)"
    entry.service = SecretServiceRecord.collectionService
    entry.username = identifier
    entry.title = label
    entry.password = []
    entry.generic = SecretServiceRecord(attributes: [:], collection: identifier, aliases: []).bytes
  }

  /// `collection` is the identifier of the collection in Coffer; nil for the default one.
  init(label: String, attributes: [(name: String, value: String)], contentType: String, collection: String?) {
    let values = Dictionary(attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    entry.title = label
    // The path of an item in the service may change; its label and attributes are what programs find it by.
    let names = [label] + values.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    entry.identifier = ((collection.map { [$0] } ?? []) + names).joined(separator: "\u{1F}")
    let account = SecretServiceRecord.accountName(in: values)
    let service = SecretServiceRecord.serviceName(in: values)
    entry.username = account.flatMap { values[$0] } ?? ""
    // Always a generic password, which has all attributes as the secret service of Coffer stores them: by them,
    // programs find the item again.
    entry.generic =
      SecretServiceRecord(
        attributes: values, contentType: contentType.isEmpty ? nil : contentType, collection: collection
      ).bytes
    let address = values["xdg:schema"].flatMap { Self.address($0, values) }
    entry.service = service.flatMap { values[$0] } ?? address.flatMap { WebAddress($0)?.server }
  }

  /// The address of a network password: `org.gnome.keyring.NetworkPassword` has a URL in parts, and Chromium has one.
  private static func address(_ schema: String, _ values: [String: String]) -> String? {
    if schema.contains("NetworkPassword"), let server = values["server"], let scheme = values["protocol"] {
      return "\(scheme)://\(server)\(values["port"].map { ":\($0)" } ?? "")"
    }
    return values["origin_url"]
  }
}
