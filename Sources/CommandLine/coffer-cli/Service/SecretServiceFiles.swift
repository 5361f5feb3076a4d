internal import CofferAgent
internal import CofferSystem
internal import CofferVault

/// The files by which the session bus, systemd and the portal of this user find `coffer-secret-service`.
struct SecretServiceFiles {
  /// The first line of each of them.
  static let mark = "# Written by `coffer secret-service install`, and deleted by `coffer secret-service remove`."
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
          Exec=\(busCommand)
          SystemdService=\(Self.unitName)

          """)
    }
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
        \(environment)UMask=0077
        LimitCORE=0
        LimitMEMLOCK=64M
        NoNewPrivileges=yes
        LockPersonality=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        SystemCallArchitectures=native

        """)
  }

  /// Says which interface the back end of the portal has. Portals before 1.18 refuse a file that names no desktop; none has this
  /// name, so that one that another file names comes first.
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
  private var busCommand: String {
    let words = (variables.isEmpty ? [] : ["/usr/bin/env"] + variables.map { "\($0.name)=\($0.value)" }) + [program]
    return (words + (asks ? ["--ask"] : [])).map(\.exactShellWord).joined(separator: " ")
  }
}
