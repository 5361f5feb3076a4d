/// Apple's schema of items: the attributes of the classes, what they hold, and which of them tell items apart.
///
/// Identities are no table of their own, but pairs of keys and certificates that belong together; made-up blobs are neither,
/// so this model leaves them out.
enum ModelSchema {
  enum Kind { case blob, number, date }

  static let classes = ["genp", "inet", "cert", "keys"]

  /// The primary keys, beside access group and synchronizability.
  static let primaryKeys: [String: [String]] = [
    "genp": ["acct", "svce"],
    "inet": ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path"],
    "cert": ["ctyp", "issr", "slnr"],
    "keys": ["kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat"],
  ]

  /// The other attributes of a class's own.
  static let otherAttributes: [String: [String]] = [
    "genp": ["gena", "labl", "desc", "icmt", "crtr", "type", "invi", "nega"],
    "inet": ["labl", "desc", "icmt", "crtr", "type", "invi", "nega"],
    "cert": ["labl", "cenc", "subj", "skid", "pkhh"],
    "keys": [
      "labl", "perm", "priv", "modi", "sens", "asen", "extr", "next", "encr", "decr", "drve", "sign", "vrfy", "snrc",
      "vyrc", "wrap", "unwp",
    ],
  ]

  static let attributes = primaryKeys.mapValues { $0 }.merging(otherAttributes) { $0 + $1 }

  /// What every class has, handled apart.
  static let commonAttributes: Set = ["agrp", "sync", "pdmn", "accc", "cdat", "mdat"]

  private static let blobs: Set = [
    "acct", "svce", "gena", "labl", "icmt", "desc", "sdmn", "srvr", "path", "atyp", "atag", "klbl", "issr", "slnr",
    "subj", "skid", "pkhh",
  ]

  static func kind(of attribute: String) -> Kind {
    if ["sdat", "edat", "cdat", "mdat"].contains(attribute) { return .date }
    return blobs.contains(attribute) ? .blob : .number
  }

  /// What stands in results for an attribute of the primary key that has no value.
  static func absent(_ kind: Kind) -> ModelValue {
    switch kind {
    case .blob: .bytes([])
    case .number: .number(0)
    case .date: .date(0)
    }
  }

  /// Keys that are no attributes.
  static let returnKeys: Set = ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"]
  static let useKeys: Set = ["nleg", "u_OpPrompt", "u_AuthUI"]
  static let matchKeys: Set = ["m_Limit", "m_CaseInsensitive", "m_TrustedOnly", "m_SubjectContains"]
  static let valueKeys: Set = ["v_Data", "v_PersistentRef"]

  static func isThisDeviceOnly(_ protection: ModelText) -> Bool { protection.string.hasSuffix("u") }
}
