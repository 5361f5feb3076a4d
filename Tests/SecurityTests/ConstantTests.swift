internal import Security
internal import Testing

/// Apple's values, which stored data and other programs depend on.
@Suite struct ConstantTests {
  @Test func `The classes have Apple's values`() {
    let table: [(CFString, String)] = [
      (kSecClass, "class"),
      (kSecClassGenericPassword, "genp"),
      (kSecClassInternetPassword, "inet"),
      (kSecClassCertificate, "cert"),
      (kSecClassKey, "keys"),
      (kSecClassIdentity, "idnt"),
    ]
    for (constant, value) in table { #expect(constant as String == value) }
  }

  @Test func `The attributes have Apple's values`() {
    let table: [(CFString, String)] = [
      (kSecAttrAccessible, "pdmn"),
      (kSecAttrAccessControl, "accc"),
      (kSecAttrAccessGroup, "agrp"),
      (kSecAttrSynchronizable, "sync"),
      (kSecAttrSynchronizableAny, "syna"),
      (kSecAttrCreationDate, "cdat"),
      (kSecAttrModificationDate, "mdat"),
      (kSecAttrDescription, "desc"),
      (kSecAttrComment, "icmt"),
      (kSecAttrCreator, "crtr"),
      (kSecAttrType, "type"),
      (kSecAttrLabel, "labl"),
      (kSecAttrIsInvisible, "invi"),
      (kSecAttrIsNegative, "nega"),
      (kSecAttrAccount, "acct"),
      (kSecAttrService, "svce"),
      (kSecAttrGeneric, "gena"),
      (kSecAttrSecurityDomain, "sdmn"),
      (kSecAttrServer, "srvr"),
      (kSecAttrProtocol, "ptcl"),
      (kSecAttrAuthenticationType, "atyp"),
      (kSecAttrPort, "port"),
      (kSecAttrPath, "path"),
      (kSecAttrSubject, "subj"),
      (kSecAttrIssuer, "issr"),
      (kSecAttrSerialNumber, "slnr"),
      (kSecAttrSubjectKeyID, "skid"),
      (kSecAttrPublicKeyHash, "pkhh"),
      (kSecAttrCertificateType, "ctyp"),
      (kSecAttrCertificateEncoding, "cenc"),
      (kSecAttrKeyClass, "kcls"),
      (kSecAttrApplicationLabel, "klbl"),
      (kSecAttrIsPermanent, "perm"),
      (kSecAttrApplicationTag, "atag"),
      (kSecAttrKeyType, "type"),
      (kSecAttrKeySizeInBits, "bsiz"),
      (kSecAttrEffectiveKeySize, "esiz"),
      (kSecAttrCanEncrypt, "encr"),
      (kSecAttrCanDecrypt, "decr"),
      (kSecAttrCanDerive, "drve"),
      (kSecAttrCanSign, "sign"),
      (kSecAttrCanVerify, "vrfy"),
      (kSecAttrCanWrap, "wrap"),
      (kSecAttrCanUnwrap, "unwp"),
      (kSecAttrSyncViewHint, "vwht"),
      (kSecAttrTokenID, "tkid"),
      (kSecAttrTokenIDSecureEnclave, "com.apple.setoken"),
    ]
    for (constant, value) in table { #expect(constant as String == value) }
  }

  @Test func `The keys have Apple's values`() {
    let table: [(CFString, String)] = [
      (kSecAttrKeyClassPublic, "0"),
      (kSecAttrKeyClassPrivate, "1"),
      (kSecAttrKeyClassSymmetric, "2"),
      (kSecAttrKeyTypeRSA, "42"),
      (kSecAttrKeyTypeEC, "73"),
      (kSecAttrKeyTypeECSECPrimeRandom, "73"),
    ]
    for (constant, value) in table { #expect(constant as String == value) }
  }

  @Test func `The matching keys have Apple's values`() {
    let table: [(CFString, String)] = [
      (kSecMatchPolicy, "m_Policy"),
      (kSecMatchItemList, "m_ItemList"),
      (kSecMatchIssuers, "m_Issuers"),
      (kSecMatchEmailAddressIfPresent, "m_EmailAddressIfPresent"),
      (kSecMatchSubjectContains, "m_SubjectContains"),
      (kSecMatchCaseInsensitive, "m_CaseInsensitive"),
      (kSecMatchTrustedOnly, "m_TrustedOnly"),
      (kSecMatchValidOnDate, "m_ValidOnDate"),
      (kSecMatchLimit, "m_Limit"),
      (kSecMatchLimitOne, "m_LimitOne"),
      (kSecMatchLimitAll, "m_LimitAll"),
    ]
    for (constant, value) in table { #expect(constant as String == value) }
  }

  @Test func `The results and values have Apple's values`() {
    let table: [(CFString, String)] = [
      (kSecReturnData, "r_Data"),
      (kSecReturnAttributes, "r_Attributes"),
      (kSecReturnRef, "r_Ref"),
      (kSecReturnPersistentRef, "r_PersistentRef"),
      (kSecValueData, "v_Data"),
      (kSecValueRef, "v_Ref"),
      (kSecValuePersistentRef, "v_PersistentRef"),
    ]
    for (constant, value) in table { #expect(constant as String == value) }
  }

  @Test func `The uses have Apple's values`() {
    let table: [(CFString, String)] = [
      (kSecUseItemList, "u_ItemList"),
      (kSecUseOperationPrompt, "u_OpPrompt"),
      (kSecUseNoAuthenticationUI, "u_NoAuthUI"),
      (kSecUseAuthenticationUI, "u_AuthUI"),
      (kSecUseAuthenticationUIAllow, "u_AuthUIA"),
      (kSecUseAuthenticationUIFail, "u_AuthUIF"),
      (kSecUseAuthenticationUISkip, "u_AuthUIS"),
      (kSecUseAuthenticationContext, "u_AuthCtx"),
      (kSecUseDataProtectionKeychain, "nleg"),
    ]
    for (constant, value) in table { #expect(constant as String == value) }
  }

  @Test func `The accessibilities have Apple's values`() {
    let table: [(CFString, String)] = [
      (kSecAttrAccessibleWhenUnlocked, "ak"),
      (kSecAttrAccessibleAfterFirstUnlock, "ck"),
      (kSecAttrAccessibleAlways, "dk"),
      (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "akpu"),
      (kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "aku"),
      (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "cku"),
      (kSecAttrAccessibleAlwaysThisDeviceOnly, "dku"),
    ]
    for (constant, value) in table { #expect(constant as String == value) }
  }

  @Test func `The authentication types have Apple's values`() {
    let table: [(CFString, String)] = [
      (kSecAttrAuthenticationTypeNTLM, "ntlm"),
      (kSecAttrAuthenticationTypeMSN, "msna"),
      (kSecAttrAuthenticationTypeDPA, "dpaa"),
      (kSecAttrAuthenticationTypeRPA, "rpaa"),
      (kSecAttrAuthenticationTypeHTTPBasic, "http"),
      (kSecAttrAuthenticationTypeHTTPDigest, "httd"),
      (kSecAttrAuthenticationTypeHTMLForm, "form"),
      (kSecAttrAuthenticationTypeDefault, "dflt"),
    ]
    for (constant, value) in table { #expect(constant as String == value) }
  }

  @Test func `The protocols have Apple's values`() {
    let table: [(CFString, String)] = [
      (kSecAttrProtocolFTP, "ftp "),
      (kSecAttrProtocolFTPAccount, "ftpa"),
      (kSecAttrProtocolHTTP, "http"),
      (kSecAttrProtocolIRC, "irc "),
      (kSecAttrProtocolNNTP, "nntp"),
      (kSecAttrProtocolPOP3, "pop3"),
      (kSecAttrProtocolSMTP, "smtp"),
      (kSecAttrProtocolSOCKS, "sox "),
      (kSecAttrProtocolIMAP, "imap"),
      (kSecAttrProtocolLDAP, "ldap"),
      (kSecAttrProtocolAppleTalk, "atlk"),
      (kSecAttrProtocolAFP, "afp "),
      (kSecAttrProtocolTelnet, "teln"),
      (kSecAttrProtocolSSH, "ssh "),
      (kSecAttrProtocolFTPS, "ftps"),
      (kSecAttrProtocolHTTPS, "htps"),
      (kSecAttrProtocolHTTPProxy, "htpx"),
      (kSecAttrProtocolHTTPSProxy, "htsx"),
      (kSecAttrProtocolFTPProxy, "ftpx"),
      (kSecAttrProtocolSMB, "smb "),
      (kSecAttrProtocolRTSP, "rtsp"),
      (kSecAttrProtocolRTSPProxy, "rtsx"),
      (kSecAttrProtocolDAAP, "daap"),
      (kSecAttrProtocolEPPC, "eppc"),
      (kSecAttrProtocolIPP, "ipp "),
      (kSecAttrProtocolNNTPS, "ntps"),
      (kSecAttrProtocolLDAPS, "ldps"),
      (kSecAttrProtocolTelnetS, "tels"),
      (kSecAttrProtocolIMAPS, "imps"),
      (kSecAttrProtocolIRCS, "ircs"),
      (kSecAttrProtocolPOP3S, "pops"),
    ]
    for (constant, value) in table { #expect(constant as String == value) }
    #expect(table.count == 31 && Set(table.map(\.1)).count == 31)
  }
}
