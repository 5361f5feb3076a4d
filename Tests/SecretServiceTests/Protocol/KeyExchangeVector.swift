/// An exchange that was computed with another implementation.
enum KeyExchangeVector {
  /// Two to the power of the exponent 0x0102…20.
  static let publicKey =
    "457120764f3a1e6fd58103e41a4093a6c8bc1d97cb8759de41c21afdd2d3048a5ef3d88ce24aa6ba4fe30bcfb0b0f75abf1a8aeaff3723f1bf53740c902005e1"
    + "199fabad7c538e94a7034fd585339a02f3634893f748929d2a7257643e398130541ae64124c17d4507a97f1cbebeb7b933642b8df479eb59e36cfeffbf1671dd"
  static let peer =
    "fc731e4b37d976a1cb8f46a2894b631cb602a8972ea4998b2a3b67d78c104051e0fe43ed8c86da438645f808625fb58a5e3c0b9c8bb85aca0468deb654ce26f9"
    + "efd7ac3e88bf94160eb2ddf3c98122d65649febf197864b823111b7aa38908cf637001038fb668f52214eb6ed28e5088630b7aa82c3ef2f6fe17138fc2f3869a"
  static let key = "9da5fa30c5c3dc3b1f6326fc81de2457"
}
