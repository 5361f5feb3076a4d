internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSandbox
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Synchronization

/// A Flatpak, and where its files are deployed outside of the sandbox: both by the file `.flatpak-info`.
struct DeployedApp: Sendable {
  /// The application ID, which is the app's bundle identifier, too.
  let identifier: String
  /// The folder that is `/app` in the sandbox.
  let folder: String

  /// Reads the path in the contents of `.flatpak-info`. Throws unless it is a deployment of this application: a sandbox
  /// can be started with other files in the place of its own.
  init(_ identifier: String, _ bytes: [UInt8]) throws(CallerRefusal) {
    guard try FlatpakInfo.application(in: bytes) == identifier,
      let path = try FlatpakInfo.value(of: "app-path", in: "Instance", bytes), path.utf8.count <= 4_096,
      path.first == "/", !path.utf8.contains(0),
      // Flatpak adds the app's own folder if another one is in its place.
      try FlatpakInfo.value(of: "original-app-path", in: "Instance", bytes) == nil
    else { throw CallerRefusal("its file .flatpak-info does not name one folder") }
    // FOLDER/app/ID/ARCHITECTURE/BRANCH/COMMIT/files
    let parts = path.split(separator: "/")
    guard parts.count > 6, parts.last == "files", parts[parts.count - 5] == identifier, parts[parts.count - 6] == "app",
      !parts.contains("..")
    else { throw CallerRefusal("its folder is no deployment of \(identifier)") }
    self.identifier = identifier
    folder = path
  }
}

/// Answers the requests of one socket, one after the other, until the app closes it. What the app sends while a request
/// is answered waits in the socket.
final class AppSession {
  private let app: DeployedApp
  private let socket: RequestSocket
  private var vault: Vault?
  private var keySource = KeySource.agent
  /// Whether a passphrase protects the keys. Once it does, none of them stays in this process between two requests.
  private var isSealed = false
  /// Whether the app has said after what time without use its vault locks.
  private var locksItself = false

  /// Where the keys come from that a passphrase protects.
  private enum KeySource {
    /// The agent gives them for each request.
    case agent
    /// The app has given the passphrase. They stay until it locks the vault, or its socket ends.
    case passphrase
    /// The app has locked its vault, or its passphrase has expired.
    case none
  }

  /// One passphrase is tried at a time: that takes half a second and 256 MiB.
  private static let attempts = Mutex(())
  /// The attempts of one app wait for each other first, so that it delays another app by one attempt at most.
  private static let turns = Mutex<[String: Turn]>([:])

  private final class Turn: Sendable { let lock = Mutex(()) }

  /// How long the keys of an app that asks for nothing stay in memory.
  private static let idleTime = Duration.seconds(60)
  /// How long a connection may be without its first request: one of an app that gets no vault keeps no place.
  private static let firstTime = Duration.seconds(10)

  init(_ app: DeployedApp, _ socket: RequestSocket) {
    self.app = app
    self.socket = socket
  }

  func serve() {
    defer { close() }
    guard socket.awaitInput(for: Self.firstTime) else { return }
    while true {
      if vault?.isLocked == false, !keepsKeys, !locksItself, !socket.awaitInput(for: Self.idleTime) { close() }
      // The value has one owner, so that it is wiped in its place.
      guard var message = socket.receiveRequest() else { return }
      defer { message.value?.wipe() }
      let request = message.request
      do throws(VaultError) {
        let isUnlock = request.kind == .unlock
        let vault = try open(for: request.kind, askingAgent: !isUnlock || message.value == nil)
        let answer =
          if isUnlock {
            try unlock(vault, request, &message.value)
          } else {
            try vault.answer(request, value: &message.value)
          }
        // From here on, so that no change is missed that the app makes after the answer.
        let changes = request.kind == .watch ? try vault.changes(in: request.group).begin() : nil
        if changes == nil { dropSealedKeys() }
        socket.send(answer, value: &message.value)
        if let changes { return send(changes) }
      } catch {
        dropSealedKeys()
        socket.send(explained(error))
        if vault == nil { return }
      }
    }
  }

  private var keepsKeys: Bool { isSealed && keySource == .passphrase }

  private func dropSealedKeys() {
    if isSealed, !keepsKeys { vault?.lock() }
  }

  /// Unlocks the vault with the passphrase that the app gives, or with what was found before without one.
  private func unlock(
    _ vault: Vault, _ request: VaultRequest, _ passphrase: inout [UInt8]?
  ) throws(VaultError) -> VaultAnswer {
    let hasPassphrase = passphrase != nil
    let answer =
      hasPassphrase ? try attempt(vault, request, &passphrase) : try vault.answer(request, value: &passphrase)
    if hasPassphrase, isSealed { keySource = .passphrase } else if keySource == .none { keySource = .agent }
    locksItself = request.number != nil
    return answer
  }

  private func attempt(
    _ vault: Vault, _ request: VaultRequest, _ passphrase: inout [UInt8]?
  ) throws(VaultError) -> VaultAnswer {
    guard passphrase?.count ?? 0 <= 1_024 else {
      throw VaultError(
        .authenticationFailed, "the passphrase has more than 1024 bytes", recoverySuggestion: "enter it again")
    }
    let turn = Self.turns.withLock { turns in
      let turn = turns[app.identifier] ?? Turn()
      turns[app.identifier] = turn
      return turn
    }
    return try turn.lock.withLock { _ throws(VaultError) in
      do throws(VaultError) {
        return try Self.attempts.withLock { _ throws(VaultError) in try vault.answer(request, value: &passphrase) }
      } catch {
        if error.code == .authenticationFailed { sleep(1) }
        throw error
      }
    }
  }

  private func close() {
    vault?.lock()
    vault = nil
  }

  /// Returns the vault as a request of this kind finds it: unlocked by the agent, if a passphrase protects it and the
  /// user has unlocked it, unless the app has locked it.
  private func open(for kind: VaultRequest.Kind, askingAgent: Bool) throws(VaultError) -> Vault {
    let vault: Vault
    if let opened = self.vault {
      vault = opened
    } else {
      guard let identifier = BundleID(app.identifier) else {
        throw VaultError(
          .notEntitled, "the application ID is no bundle identifier",
          recoverySuggestion: "name the app with letters, digits, dots and hyphens only")
      }
      vault = try SandboxedApp(identifier, deployedIn: app.folder).open(at: .standard())
      self.vault = vault
    }
    isSealed = isSealed || vault.isSealed
    if kind == .lock || keepsKeys && vault.isLocked { keySource = .none }
    if keySource == .none, kind != .unlock { vault.lock() }
    if askingAgent, isSealed, kind == .unlock || keySource == .agent {
      try vault.unlockFromAgent(awaitsPerson: kind == .unlock)
    }
    return vault
  }

  private func explained(_ error: VaultError) -> VaultError {
    guard error.code == .locked, isSealed, keySource == .agent else { return error }
    return VaultError(
      error.code, error.message, recoverySuggestion: "unlock it outside of the sandbox with: coffer unlock")
  }

  /// Sends a byte for each change until the app closes the socket. A watch ends after a minute if a passphrase protects
  /// the keys: the app begins another one, for which the agent is asked again.
  private func send(_ changes: sending VaultChanges.Iterator) {
    let socket = socket
    let task = Task.detached {
      var changes = changes
      while (try? await changes.next()) ?? nil != nil {
        guard socket.sendChange() else { return }
      }
      socket.close()
    }
    _ = socket.awaitInput(for: isSealed ? Self.idleTime : nil)
    task.cancel()
  }
}
