internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// `coffer-secret-service` as the Secret Service of the current user: the bus starts it when a program needs it, by
/// systemd if that manages the services of the user.
struct SecretServiceInstallation {
  let files: SecretServiceFiles
  private let services: UserServices
  /// Whether only the broker for apps in Flatpaks is installed.
  private let isBrokerOnly: Bool

  /// Finds the program, and the vault that the environment names. Throws `io` if the program is missing and needed:
  /// what an earlier one has installed is found without it.
  static func find(
    asks: Bool = false, isBrokerOnly: Bool = false, needsProgram: Bool = true
  ) throws(VaultError) -> SecretServiceInstallation {
    let name = SecretServiceProgram.name
    let program = try needsProgram ? SiblingProgram.locate(name) : ((try? SiblingProgram.locate(name)) ?? "")
    let location = try VaultLocation.standard()
    var variables: [(name: String, value: String)] = []
    if !location.isUsersOwn {
      let vaults = location.folder.deletingLastPathComponent().deletingLastPathComponent()
      variables.append(("COFFER_HOME", vaults.path(percentEncoded: false).trimmedSlash))
      variables.append(("COFFER_VAULT", location.folder.lastPathComponent))
    }
    return SecretServiceInstallation(
      files: SecretServiceFiles(program: program, asks: asks, variables: variables),
      services: try UserServices(alternative: "the bus starts the program without systemd"),
      isBrokerOnly: isBrokerOnly)
  }

  // MARK: Files

  /// A file of the user's data (`XDG_DATA_HOME`).
  private static func dataFile(_ path: String) -> UserFile {
    .inFolder(namedBy: "XDG_DATA_HOME", path, or: .home(".local/share/\(path)"))
  }

  /// The files, with their texts.
  private var entries: [(file: UserFile, text: String)] {
    (isBrokerOnly ? [files.broker] : files.busFiles + [files.broker])
      .map { (Self.dataFile("dbus-1/services/\($0.name)"), $0.text) }
      + (isBrokerOnly ? [] : serviceEntries)
  }

  private var serviceEntries: [(file: UserFile, text: String)] {
    [
      (UserFile(path: services.path(of: files.unit.name)), files.unit.text),
      (Self.dataFile("xdg-desktop-portal/portals/\(SecretServiceFiles.portal.name)"), SecretServiceFiles.portal.text),
    ]
  }

  /// The paths of the files that are installed.
  var installed: [String] {
    entries.filter { (try? $0.file.read())?.hasPrefix(SecretServiceFiles.mark) == true }.map(\.file.path)
  }

  /// Whether all files are as `install` writes them now, with or without `--ask`.
  var isCurrent: Bool {
    entries.allSatisfy {
      (try? $0.file.read())?.replacing(" --ask\n", with: "\n") == $0.text.replacing(" --ask\n", with: "\n")
    }
  }

  /// Whether it is the Secret Service of the user, and not only the broker.
  var isService: Bool { installed.contains { $0 != brokerPath } }

  private var brokerPath: String { Self.dataFile("dbus-1/services/\(files.broker.name)").path }

  /// Whether the program is there.
  var hasProgram: Bool { !files.program.isEmpty }

  /// Whether the installed program asks a person.
  var asksNow: Bool { services.text(of: files.unit.name)?.contains(" --ask\n") == true }

  /// The texts of the files, for a person who installs them.
  var shown: [ServiceUnits.File] { entries.map { ServiceUnits.File(name: $0.file.path, text: $0.text) } }

  /// Writes the files, ends a program of an earlier installation, and tells the bus and systemd. Throws
  /// `invalidArgument` for a file that somebody else has written. Nothing is left after an error.
  func install() throws(VaultError) -> [String] {
    for (file, _) in entries {
      guard let text = try file.read(), !text.hasPrefix(SecretServiceFiles.mark) else { continue }
      throw VaultError.fileOfOthers(file.path, "move that file away, then try again")
    }
    let former = installed
    do throws(VaultError) {
      for (file, text) in entries { try file.write(text, mode: 0o644) }
    } catch {
      if former.isEmpty { _ = try? remove() }
      throw error
    }
    _ = try? services.control("daemon-reload")
    SecretServiceProgram.reloadBus()
    stop()
    return installed
  }

  /// Ends the program and deletes the files. Returns their paths; none if it was not installed.
  func remove() throws(VaultError) -> [String] {
    let present = installed
    guard !present.isEmpty else { return [] }
    for path in present { try UserFile(path: path).delete() }
    _ = try? services.control("daemon-reload")
    // First, so that the bus does not start the program again.
    SecretServiceProgram.reloadBus()
    stop()
    removeEmptyFolders(of: present)
    return present
  }

  /// Ends the program that runs. A program that needs it starts it again while it is installed.
  private func stop() {
    if !isBrokerOnly { _ = try? services.control("stop", SecretServiceFiles.unitName) }
    for name in (isBrokerOnly ? [] : [SecretServiceReport.secretsName]) + [SecretServiceReport.appsName] {
      guard let process = Self.ownProcess(of: name), let handle = try? ProcessHandle.open(process) else { continue }
      // The process that has the name now, and no later one with its number.
      guard Self.ownProcess(of: name) == process, !handle.hasEnded else { continue }
      kill(process, SIGTERM)
    }
  }

  /// The process that has a name of the bus, if it is Coffer's.
  private static func ownProcess(of name: String) -> Int32? {
    let process = try? SecretServiceProgram.report().process(owning: name)
    return process.flatMap { SecretServiceOwner(process: $0).isCoffer ? $0 : nil }
  }

  /// Deletes the folders of files if nothing else is in them.
  private func removeEmptyFolders(of paths: [String]) {
    let names: Set = ["services", "dbus-1", "portals", "xdg-desktop-portal"]
    for path in paths {
      var folder = path.parentFolder
      while names.contains(folder.split(separator: "/").last.map(String.init) ?? ""), unsafe rmdir(folder) == 0 {
        folder = folder.parentFolder
      }
    }
  }

  // MARK: What the bus would start

  /// The file by which the bus starts the Secret Service: the first of its folders; nil if there is none.
  static var activation: UserFile? {
    func variable(_ name: String) -> String? {
      CurrentProcess.variable(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    let runtime = variable("XDG_RUNTIME_DIR").map { ["\($0)/dbus-1/services"] } ?? []
    let shared = (variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":")
    let folders = runtime + [dataFile("dbus-1/services").path] + shared.map { "\($0)/dbus-1/services" }
    return folders.map { UserFile(path: "\($0)/\(SecretServiceReport.secretsName).service") }.first {
      !isAbsent($0.path)
    }
  }

  /// Whether that file starts Coffer; nil if there is none.
  static var activatesCoffer: Bool? {
    activation.map { file in
      let command = (try? file.read())?.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Exec=") }
      return command?.contains("/\(SecretServiceProgram.name)") == true
    }
  }
}

extension String {
  /// The path of a folder without the slash at its end.
  fileprivate var trimmedSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}

/// The files by which the session bus, systemd and the portal of this user find `coffer-secret-service`.
struct SecretServiceFiles {
  /// The first line of each of them.
  static let mark = UserUnits.mark(
    install: "coffer secret-service install", remove: "coffer secret-service remove")
  static let unitName = "\(SecretServiceProgram.name).service"

  let program: String
  /// Whether a person is asked when a program uses it for the first time.
  let asks: Bool
  /// The variables that name a vault other than the user's own.
  let variables: [(name: String, value: String)]

  /// The files of the bus, by name: it starts the program when another one calls a name.
  var busFiles: [ServiceUnits.File] {
    [SecretServiceReport.secretsName, SecretServiceReport.portalName].map { name in
      ServiceUnits.File(
        name: "\(name).service",
        text: """
          \(Self.mark)
          [D-BUS Service]
          Name=\(name)
          Exec=\(command(asks ? ["--ask"] : []))
          SystemdService=\(Self.unitName)

          """)
    }
  }

  /// The file of the bus for the broker of apps in Flatpaks, which is a process of its own.
  var broker: ServiceUnits.File {
    ServiceUnits.File(
      name: "\(SecretServiceReport.appsName).service",
      text: """
        \(Self.mark)
        [D-BUS Service]
        Name=\(SecretServiceReport.appsName)
        Exec=\(command(["--apps"]))

        """)
  }

  var unit: ServiceUnits.File {
    let arguments = ([ServiceUnits.quoted(program)] + (asks ? ["--ask"] : [])).joined(separator: " ")
    let environment = variables.map { "Environment=\(ServiceUnits.quoted("\($0.name)=\($0.value)"))\n" }.joined()
    return ServiceUnits.File(
      name: Self.unitName,
      text: """
        \(Self.mark)
        [Unit]
        Description=Coffer: Secret Service of the desktop

        [Service]
        Type=dbus
        BusName=\(SecretServiceReport.secretsName)
        ExecStart=\(arguments)
        \(environment)\(ServiceUnits.confinement(locksMemory: true, addressFamilies: "AF_UNIX AF_INET AF_INET6 AF_NETLINK"))

        """)
  }

  /// Says which interface the back end of the portal has. Portals before 1.18 refuse a file that names no desktop; none
  /// has this name, so that one that another file names comes first.
  static let portal = ServiceUnits.File(
    name: "coffer.portal",
    text: """
      \(mark)
      [portal]
      DBusName=\(SecretServiceReport.portalName)
      Interfaces=org.freedesktop.impl.portal.Secret
      UseIn=Coffer

      """)

  /// The command line that the bus runs on a system without systemd. It has the quotes of a shell, and no variables.
  private func command(_ arguments: [String]) -> String {
    let words = (variables.isEmpty ? [] : ["/usr/bin/env"] + variables.map { "\($0.name)=\($0.value)" }) + [program]
    return (words + arguments).map(\.exactShellWord).joined(separator: " ")
  }
}
