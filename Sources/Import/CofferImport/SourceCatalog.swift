/// What a source needs beside its path.
package struct SourceOptions {
  /// Whether only names and folders are wanted, without decrypting anything.
  let namesOnly: Bool
  /// The file with the secret keys of age.
  let identities: String?
  /// The service of variables.
  let service: String?
  /// Returns the password of a protected file.
  let password: () throws -> [UInt8]

  package init(
    namesOnly: Bool = false, identities: String? = nil, service: String? = nil,
    password: @escaping () throws -> [UInt8]
  ) {
    self.namesOnly = namesOnly
    self.identities = identities
    self.service = service
    self.password = password
  }
}

/// The sources by the names that `coffer import` takes.
package enum SourceCatalog {
  /// Returns a source; nil for an unknown name.
  package static func source(named name: String, path: String, _ options: SourceOptions) -> (any EntrySource)? {
    let input = SourceInput.file(path)
    return switch name {
    case "pass", "gopass": PasswordStoreSource.gpg(path, namesOnly: options.namesOnly)
    case "passage": PasswordStoreSource.age(path, identities: options.identities, namesOnly: options.namesOnly)
    case "keepassxc" where path.lowercased().hasSuffix(".csv"): CSVSource(input)
    case "keepassxc": KeePassXMLSource(input)
    case "bitwarden": BitwardenSource(input, password: options.password)
    case "csv": CSVSource(input)
    case "cxf": CredentialExchangeSource(input)
    case "1password": OnePasswordSource(input)
    case "secret-service": SecretServiceSource()
    case "security-dump": SecurityDumpSource(input)
    case "dotenv": DotenvSource(input, service: options.service ?? DotenvSource.service(of: path))
    case "json": CofferExportSource(input)
    default: nil
    }
  }
}
