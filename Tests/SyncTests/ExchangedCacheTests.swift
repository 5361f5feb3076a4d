import CofferGit
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@testable import CofferExchange

/// Another program of the user changes the cache while a sync, for which root may be the user, deletes what is in it.
@Suite struct ExchangedCacheTests {
  @Test(arguments: ["d", "objects/tmp_d"])
  func `A folder of the cache that is exchanged for a link all the time leads to no file outside`(name: String) throws {
    let directory = try TemporaryDirectory()
    let folder = VaultFolder(URL(fileURLWithPath: directory.path("vault"), isDirectory: true))
    try Command.run("mkdir", "-p", folder.path, directory.path("outside"))
    let victim = try directory.write("outside/victim", "kept")
    let inner = "\(folder.cachePath)/\(name)/inner"
    let link = directory.path("link")
    let makeFiles = "mkdir -p \"$1\" && cd \"$1\" && touch victim $(seq 200) && ln -s \"$2\" \"$3\""
    for _ in 0..<50 {
      _ = try RemoteCache.open(folder, replacingDamaged: false, programs: TransportPrograms())
      try Command.run("sh", "-c", makeFiles, "sh", inner, directory.path("outside"), link)
      // What the other program has exchanged may stay.
      try whileExchanging(inner, link) {
        _ = try? RemoteCache.open(folder, replacingDamaged: name == "d", programs: TransportPrograms())
      }
      #expect(FileManager.default.fileExists(atPath: victim))
      for path in [link, folder.cachePath] { try removeTree(path) }
    }
  }
}
