/// Apple's schema of items: the attributes of the classes, their types, and which of them form the primary key.
///
/// Identities are not a table, but pairs of keys and certificates that belong together. Random bytes are neither, so
/// this model leaves them out.
enum ModelSchema {
  enum Kind { case blob, number, date }

  static let classes = ["genp", "inet", "cert", "keys"]

  /// The attributes of the primary keys, apart from access group and synchronizability.
  static let primaryKeys: [String: [String]] = [
    "genp": ["acct", "svce"],
    "inet": ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path"],
    "cert": ["ctyp", "issr", "slnr"],
    "keys": ["kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat"],
  ]

  /// The other attributes of each class.
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

  /// Attributes of every class, which the model handles separately.
  static let commonAttributes: Set = ["agrp", "sync", "pdmn", "accc", "cdat", "mdat"]

  private static let blobs: Set = [
    "acct", "svce", "gena", "labl", "icmt", "desc", "sdmn", "srvr", "path", "atyp", "atag", "klbl", "issr", "slnr",
    "subj", "skid", "pkhh",
  ]

  static func kind(of attribute: String) -> Kind {
    if ["sdat", "edat", "cdat", "mdat"].contains(attribute) { return .date }
    return blobs.contains(attribute) ? .blob : .number
  }

  /// Returns the value in results of a primary-key attribute that was not set.
  static func absent(_ kind: Kind) -> ModelValue {
    switch kind {
    case .blob: .bytes([])
    case .number: .number(0)
    case .date: .date(0)
    }
  }

  /// Keys that are not attributes.
  static let returnKeys: Set = ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"]
  static let useKeys: Set = ["nleg", "u_OpPrompt", "u_AuthUI"]
  static let matchKeys: Set = ["m_Limit", "m_CaseInsensitive"]
  static let valueKeys: Set = ["v_Data", "v_PersistentRef"]
}
