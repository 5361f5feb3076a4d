internal import Coffer
internal import CofferAgent
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// What earlier versions of `coffer import secret-service` have written to the owner's own group, where no program of
/// the desktop finds it.
struct EarlierImport {
  let actor: ActorOptions

  /// What has become of the items.
  struct Outcome {
    var movedCount = 0
    /// The names of items that stay, because the group of the desktop's programs has others with these names.
    var remaining: [String] = []
  }

  private static let source = ImportSource.secretService.rawValue

  /// Moves the items to the group of the desktop's programs. Each is written there and read back before it is deleted
  /// here, so that a second run finishes one that was interrupted.
  func move(in local: LocalVault) throws -> Outcome {
    let passphrase = actor.passphrase.source(
      of: local, note: "to move what was imported before", alternative: "try again in a terminal"
    ).rememberingFirst()
    var outcome = Outcome()
    guard let personal = try actor.open(.personal, for: .reading(nil), to: .use, passphrase: passphrase),
      let own = try personal.defaultAccessGroup
    else { return outcome }
    let found = try personal.find(ItemSearch(.genericPassword, group: own), withValues: false, damaged: { _ in })
    let imported = found.compactMap { item in origin(of: item).map { (item: item, origin: $0) } }
    let passwords = imported.filter { $0.origin.part.isEmpty && SecretServiceRecord(of: $0.item.attributes) != nil }
    guard !passwords.isEmpty, let desktop = try actor.openDesktopGroupForWriting(passphrase: passphrase) else {
      return outcome
    }
    let group = try desktop.defaultAccessGroup
    let importer = ItemImporter(desktop, rule: .skip, isDryRun: false)
    var moved: Set<String> = []
    for (item, origin) in passwords {
      let old = ImportedItem(moving: item, value: [], to: own)
      // The value is compared and written, and shown to nobody.
      guard let value = try personal.find(old.search, withValues: true, comparing: true).first?.value else { continue }
      let new = ImportedItem(moving: item, value: value, to: group)
      switch try importer.write([new]).first?.outcome {
      case .new?, .same?, .changed?:
        _ = try personal.delete(old.search)
        moved.insert(origin.entry)
        outcome.movedCount += 1
      case .skipped?, nil: outcome.remaining.append(new.name)
      }
    }
    // The attributes of an entry, which its password has too.
    for (item, origin) in imported where origin.part == "details" && moved.contains(origin.entry) {
      _ = try personal.delete(ImportedItem(moving: item, value: [], to: own).search)
    }
    return outcome
  }

  private func origin(of item: FoundItem) -> EntryOrigin? {
    let origin = item.attributes.string(.comment).flatMap(EntryOrigin.init(comment:))
    return origin?.source == Self.source ? origin : nil
  }
}

extension SecretServiceRecord {
  /// Reads what an item has for the Secret Service; nil if it has nothing.
  init?(of attributes: ItemAttributes) {
    guard case .data(let bytes)? = attributes[.generic] else { return nil }
    self.init(bytes: bytes)
  }
}
