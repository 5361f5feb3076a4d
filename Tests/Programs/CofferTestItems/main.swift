import Coffer
import Foundation

// Stores items of every class, with texts that no command line can carry.
//
//     CofferTestItems PLIST < ITEMS
//
// PLIST names the app that writes; ITEMS is a JSON array of `ItemSource`. All items are stored or none.

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: CofferTestItems PLIST < ITEMS\n".utf8))
  exit(2)
}
do {
  let vault = try Vault.open(.file(URL(fileURLWithPath: CommandLine.arguments[1])))
  let sources = try JSONDecoder().decode([ItemSource].self, from: FileHandle.standardInput.readDataToEndOfFile())
  try vault.transaction {
    for source in sources { try source.store(in: vault) }
  }
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
