import Coffer
import CofferCrypto
import CofferVault
import CofferTestSupport
import CofferTrust
import Foundation
import Testing

@Suite(.timeLimit(.minutes(120))) struct AppLockTests {
  private let directory: TemporaryDirectory
  private let location: VaultLocation
  private let name = GenericPassword(service: "s", account: "a")
  private let plist = TemporaryVault.plist("com.example.one")

  init() throws {
    directory = try TemporaryDirectory()
    location = VaultLocation(folder: directory.url.appending(path: "vault"))
    try VaultCreation.create(
      at: location, deviceName: "laptop", protection: .passphrase(SecretText(copying: "right".utf8))
    ) { (_) throws(VaultError) in }
    try register(requiresPassphrase: true)
  }

  private func register(requiresPassphrase: Bool?) throws {
    let local = try LocalVault.open(VaultFolder(location))
    let source = PassphraseSource { (_) throws(VaultError) in SecretText(copying: "right".utf8) }
    let outcome = try AppRegistration(local, passphrase: source)
      .register(
        .init(plist: plist, source: "test", bundleID: nil, sourcePrefix: nil), requiresPassphrase: requiresPassphrase)
    try outcome.credential?.install(in: local)
  }

  private func open() throws -> Vault { try Vault.open(.bytes(plist), at: location) }

  @Test func `A locked app's vault reports it, never prompts, and opens with the right passphrase only`() throws {
    let vault = try open()
    #expect(vault.isLocked)
    // The app's identity and its rights are not secret.
    #expect(try vault.applicationIdentifier?.hasSuffix("com.example.one") == true && vault.accessGroups.count == 1)
    for attempt in [
      { _ = try vault.value(for: name) }, { try vault.set("v", for: name) },
      { _ = try vault.list(GenericPassword.self) },
      { try vault.transaction {} }, { try vault.unlock() },
    ] {
      let error = failure(attempt)
      #expect(
        error?.code == .locked && error?.osStatus == -25308 && error?.recoverySuggestion?.contains("passphrase") == true
      )
    }
    #expect(code { try vault.unlock(passphrase: "wrong") } == .authenticationFailed)
    #expect(code { try vault.unlock(passphrase: "") } == .authenticationFailed)
    #expect(vault.isLocked)
    try vault.unlock(passphrase: "right")
    try vault.set("v", for: name)
    #expect(try vault.string(for: name) == "v")
    vault.lock()
    #expect(code { _ = try vault.value(for: name) } == .locked)
    // Every vault of a process has its own lock.
    #expect(try open().isLocked)
  }

  // Synchronous on purpose: in a busy test process a task may wait longer for its turn than the lock's timeout.
  @Test func `The keys are released when they have not been used for the timeout`() throws {
    let vault = try open()
    let timeout = Duration.seconds(2)
    let clock = ContinuousClock()
    let deadline = clock.now + longestWait
    var lastUse = clock.now
    // Use extends the timeout. A machine that stops for the timeout proves nothing, and the attempt is repeated.
    attempts: while true {
      try #require(clock.now < deadline)
      lastUse = clock.now
      try vault.unlock(passphrase: "right", lockAfter: timeout)
      let start = clock.now
      while clock.now - start < timeout * 1.5 {
        let use = clock.now
        guard code({ _ = try vault.value(for: name) }) == nil else {
          #expect(clock.now - lastUse >= timeout)
          continue attempts
        }
        lastUse = use
        Thread.sleep(forTimeInterval: 0.02)
      }
      break
    }
    try waitUntil("the vault is locked") { vault.isLocked }
    #expect(clock.now - lastUse >= timeout)
    #expect(code { _ = try vault.value(for: name) } == .locked)
  }

  @Test func `Locking releases this machine's secret, and other vaults of the process keep working`() throws {
    var item = GenericPassword(service: "s", account: "on this machine only")
    item.accessibility = .whenUnlockedThisDeviceOnly
    let vault = try open()
    let other = try open()
    for each in [vault, other] { try each.unlock(passphrase: "right") }
    try vault.set("v", for: item)
    #expect(try other.string(for: item) == "v")
    vault.lock()
    let device = location.folder.appending(path: "device")
    let moved = location.folder.appending(path: "moved")
    try FileManager.default.moveItem(at: device, to: moved)
    #expect(try other.string(for: item) == "v")
    try vault.unlock(passphrase: "right")
    #expect(failure { _ = try vault.string(for: item) }?.message.contains(device.path) == true)
    try FileManager.default.moveItem(at: moved, to: device)
    #expect(try vault.string(for: item) == "v")
  }

  @Test func `A new registration can lock and unlock an app, which keeps its items`() throws {
    var vault = try open()
    try vault.unlock(passphrase: "right")
    try vault.set("v", for: name)
    try register(requiresPassphrase: nil)
    #expect(try open().isLocked)
    try register(requiresPassphrase: false)
    vault = try open()
    #expect(!vault.isLocked)
    #expect(try vault.string(for: name) == "v")
    vault.lock()
    #expect(vault.isLocked)
    try vault.unlock()
    #expect(try vault.string(for: name) == "v")
    try register(requiresPassphrase: true)
    #expect(try open().isLocked)
  }

  @Test func `Without a passphrase on the machine no app can be locked, and nothing is registered`() throws {
    let fixture = try TemporaryVault()
    let error = failure {
      _ = try AppRegistration(fixture.local, passphrase: .unavailable)
        .register(.init(plist: plist, source: "test", bundleID: nil, sourcePrefix: nil), requiresPassphrase: true)
    }
    #expect(error?.code == .invalidArgument && error?.recoverySuggestion?.contains("--locked") == true)
    #expect(try fixture.local.membership().apps.isEmpty)
  }

  @Test func `A locked credential that was altered opens nothing`() throws {
    let local = try LocalVault.open(VaultFolder(location))
    let path = local.folder.path + "/apps/\(try local.application(named: "com.example.one"))/credential"
    let good = try Data(contentsOf: URL(fileURLWithPath: path))
    // In the clear: the vault and the app. Sealed: the keys.
    for (place, expected) in [
      (10, VaultError.Code.integrity), (60, .integrity), (good.count - 100, .authenticationFailed),
      (good.count - 1, .authenticationFailed),
    ] {
      var bad = good
      bad[place] ^= 1
      try bad.write(to: URL(fileURLWithPath: path))
      let result = code {
        let vault = try open()
        try vault.unlock(passphrase: "right")
      }
      #expect(result == expected, "\(place)")
    }
  }
}
