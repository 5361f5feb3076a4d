internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferRequests
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

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
      path.first == "/", !path.utf8.contains(0)
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
struct AppSession: Sendable {
  private let app: DeployedApp
  private let socket: RequestSocket

  init(_ app: DeployedApp, _ socket: RequestSocket) {
    self.app = app
    self.socket = socket
  }

  func serve() {
    var opened: Vault?
    while let (request, received) = socket.receiveRequest() {
      var value = received
      defer { value?.wipe() }
      do throws(VaultError) {
        let vault = if let opened { opened } else { try open() }
        opened = vault
        // As if the app opened it anew: the agent may have been locked since.
        if vault.isSealed {
          vault.lock()
          try vault.unlockFromAgent(awaitsPerson: request.kind == .unlock)
        }
        let answer = try vault.answer(request, value: &value)
        guard request.kind != .watch else {
          socket.send(answer, value: &value)
          return watch(vault, request.group)
        }
        socket.send(answer, value: &value)
      } catch {
        socket.send(error)
      }
    }
    opened?.lock()
  }

  private func open() throws(VaultError) -> Vault {
    guard let identifier = BundleID(app.identifier) else {
      throw VaultError(.notEntitled, "the application ID is no bundle identifier")
    }
    return try SandboxedApp(identifier, deployedIn: app.folder).open(at: .standard())
  }

  /// Sends a byte for each change until the app closes the socket.
  private func watch(_ vault: Vault, _ group: String?) {
    let (socket, changes) = (socket, vault.changes(in: group).makeAsyncIterator())
    let task = Task.detached {
      var changes = changes
      while (try? await changes.next()) ?? nil != nil {
        guard socket.sendChange() else { return }
      }
    }
    socket.awaitInput()
    task.cancel()
  }
}
