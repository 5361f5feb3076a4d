/// The few values that calls are made from, so that items collide and searches find some.
enum ValueUniverse {
  private static let values: [String: [ModelValue]] = [
    "acct": [
      .number(0),
      .text("jane"), .text("jane"), .text("joe"), .text("\u{e9}"), .text("e\u{301}"), .text(""), .text("5"), .text("5"),
      .number(5), .number(5), .bytes(Array("jane".utf8)), .bytes([0xff, 0]), .bytes([]),
    ],
    "svce": [.text("mail"), .text("mail"), .bytes(Array("mail".utf8)), .text("chat"), .text(""), .number(7)],
    "gena": [.bytes([1]), .text("\u{1}"), .text("g"), .bytes([])],
    "labl": [.text("Label"), .bytes(Array("Label".utf8)), .text("Other"), .text(""), .number(5), .text("5")],
    "desc": [.text("kind"), .text("Kind"), .bytes([2])],
    "icmt": [.text("comment"), .text(""), .number(-3)],
    "sdmn": [.text("home"), .text(""), .bytes(Array("home".utf8))],
    "srvr": [.text("a.example.com"), .text("a.example.com"), .text("A.example.com"), .text("b.example.com")],
    "atyp": [.text("form"), .text("dflt"), .bytes(Array("form".utf8))],
    "path": [.text("/"), .text("/x"), .bytes(Array("/".utf8))],
    "ptcl": [.text(""), .text("htps"), .text("htps"), .text("ftp "), .number(5)],
    "port": [
      .text("http"), .number(80), .text("80"), .number(443), .number(0), .text("0"), .number(1), .boolean(true),
    ],
    "crtr": [
      .number(1), .number(-1), .text("-1"), .boolean(true), .text("1"), .text("abcd"), .number(0), .boolean(false),
    ],
    "type": [
      .number(42), .number(2_147_483_649), .text("2147483649"), .text("42"), .text("73"), .text("note"), .number(0),
    ],
    "kcls": [.text("0"), .text("1"), .number(1), .number(2)],
    "klbl": [.bytes([0xaa, 0xbb]), .bytes([0xcc]), .text("key"), .bytes(Array("key".utf8)), .text("")],
    "atag": [.bytes(Array("tag".utf8)), .text("tag"), .text("other"), .bytes([])],
    "bsiz": [.number(256), .text("256"), .number(2048), .number(0)],
    "esiz": [.number(256), .text("256"), .number(0)],
    "sdat": [.date(0), .date(1000), .date(-978_307_199)],
    "edat": [.date(0), .date(86400)],
    "ctyp": [.number(1), .text("1"), .number(3)],
    "cenc": [.number(3), .number(0), .text("3")],
    "subj": [.bytes([0x30, 0]), .text("subject")],
    "issr": [.bytes(Array("ca".utf8)), .text("ca"), .text("other ca")],
    "slnr": [.bytes([1]), .bytes([2]), .text("\u{1}"), .number(1)],
    "skid": [.bytes([9, 9])],
    "pkhh": [.bytes([8, 8]), .bytes([7])],
  ]

  /// Values of Booleans, which have no list of their own.
  private static let truths: [ModelValue] = [.boolean(true), .boolean(false), .number(1), .number(0), .text("1")]

  static func values(of attribute: String) -> [ModelValue] { values[attribute] ?? truths }

  /// Returns the same value as another type, if the rules have one.
  static func otherForm(of value: ModelValue, _ attribute: String) -> ModelValue {
    switch (ModelSchema.kind(of: attribute), value) {
    case (.blob, .text(let text)): return .bytes(text.utf8)
    case (.blob, .bytes(let bytes)):
      return String(validating: bytes, as: UTF8.self).map { .text(ModelText($0)) } ?? value
    case (.number, .number(let number)): return .text(ModelText(String(number)))
    default: return value
    }
  }

  static let datas: [ModelValue] = [
    .bytes([]), .bytes(Array("secret".utf8)), .bytes(Array("other".utf8)), .bytes([0, 0xff]),
    .bytes(.init(repeating: 7, count: 300)),
  ]

  static let wrongReferences: [ModelValue] = [
    .bytes([]), .bytes([1, 2, 3]), .bytes(.init(repeating: 7, count: 21)), .text("genp"),
  ]
  static let wrongTruths: [ModelValue] = [.number(1), .number(0), .text("true"), .text("1"), .list]
  static let wrongLimits: [ModelValue] = [.number(0), .number(-1), .text("all"), .text("1"), .list]

  /// Keys that calls ignore.
  static let ignored: [(String, ModelValue)] = [
    ("nleg", .boolean(true)), ("nleg", .boolean(false)), ("u_OpPrompt", .text("why")), ("u_AuthUI", .text("u_AuthUIA")),
  ]
  static let ignoredMatches: [(String, ModelValue)] = [
    ("m_Limit", .text("m_LimitOne")), ("m_Limit", .text("m_LimitAll")), ("m_Limit", .number(1)),
    ("m_Limit", .text("nonsense")), ("m_CaseInsensitive", .boolean(true)),
  ]
  static let ignoredReturns: [(String, ModelValue)] = [
    ("r_Data", .boolean(true)), ("r_Attributes", .boolean(true)), ("r_PersistentRef", .boolean(false)),
    ("v_Data", .bytes([5])),
  ]

  static let groupsOfNobody = ["com.example.nobody", "TEAM000000.com.example.nobody"]
}
