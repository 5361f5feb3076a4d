import Coffer
import CofferCrypto
import CofferInspection
import CofferTestSupport
import CofferVault
import Dispatch
import Foundation
import Testing

@testable import CofferInspectProgram

/// The inspector in this process, without its server.
@Suite struct InspectorAnswerTests {
  private func inspector(in directory: TemporaryDirectory) throws -> Inspector {
    let location = VaultLocation(folder: directory.url.appending(path: "vault"))
    try VaultCreation.create(at: location, deviceName: "laptop", protection: .none) { (_) throws(VaultError) in }
    let opening = VaultOpening(folder: VaultFolder(location), app: nil)
    let vault = try #require(try opening.openWithoutPassphrase())
    return Inspector(opening, vault: vault, requiresPassphrase: true, idleTime: .seconds(600))
  }

  @Test func `An answer that was being made when the vault was locked is not sent`() async throws {
    let directory = try TemporaryDirectory()
    let inspector = try inspector(in: directory)
    #expect(try await inspector.withVault { _ in "read" } == "read")
    let error = await #expect(throws: VaultError.self) {
      _ = try await inspector.withVault { _ in
        inspector.lock()
        return "read before the lock"
      }
    }
    #expect(error?.code == .locked)
    #expect(inspector.isLocked)
    // Nor one that was begun before a lock and ends after the vault was unlocked again.
    try await inspector.unlock(passphrase: .init(copying: []))
    #expect(!inspector.isLocked)
    await #expect(throws: VaultError.self) {
      try await inspector.withVault { _ in
        inspector.lock()
        let unlocked = DispatchSemaphore(value: 0)
        Task {
          defer { unlocked.signal() }
          try await inspector.unlock(passphrase: .init(copying: []))
        }
        unlocked.wait()
      }
    }
    #expect(!inspector.isLocked)
  }
}
