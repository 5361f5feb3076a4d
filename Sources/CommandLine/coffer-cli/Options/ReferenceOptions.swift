internal import ArgumentParser
internal import CofferVault

/// How references of other programs are read.
struct ReferenceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file that says what references of 1Password stand for here: op://VAULT/ITEM/FIELD coffer://… in each line.",
      valueName: "file"),
    completion: .file())
  var map: String?

  /// Reads the map, if there is one.
  func readMap() throws(VaultError) -> ReferenceMap {
    try map.map { path throws(VaultError) in try ReferenceMap.read(path) } ?? .empty
  }
}
