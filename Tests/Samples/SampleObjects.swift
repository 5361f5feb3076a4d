package import CofferCrypto
package import CofferFormat
package import CofferKeys

/// Fixed keys and one object of each kind, so that everything except random nonces is the same in each run.
package struct SampleObjects {
  package let vault = VaultID(Bytes16(truncating: Hash.digest([UInt8]("vault".utf8), domain: .vaultKey)))
  package let root: PartyKeys
  package let device: PartyKeys
  package let admin: PartyKeys
  package let principal: PartyKeys
  /// The key pair of the device's deliveries.
  package let delivery: AgreementKey
  package let vaultKey: VaultKey
  package let groupName = "ABCDE12345.com.example.shared"
  package let group: GroupID
  package let groupKeys: GroupKeys
  package let transport: TransportKey
  /// The boxes of the transport key, for root and for the device. They were sealed once, with random ephemeral keys.
  package let transportBoxes: [[UInt8]]
  package let genesis: Genesis
  package let stream = StreamID(Bytes16(truncating: Hash.digest([UInt8]("stream".utf8), domain: .vaultKey)))
  package let time = Timestamp(microseconds: 1_767_225_600_000_000)

  package static let vaultKeyText = "COFFER1-000G-40R4-0M30-E209-185G-R38E-1W8C-PEFZ"

  private static let boxTexts = [
    "5365a72e26241f24ac66a96e8809566987e6548a839aba7e0e0ad70ef6609e1a5961ab147bbe5f3e"
      + "018fbf920e17b6f36ad4acbe2ae9824a12abde65725e470dbe223302e6eb0233b37ac475ec8d0f83",
    "3cf3d2ce28f3d07820b1e4ea68257bd8f1899c94eb62c81a133b119905d40f7fe2a54c4dc891e81b"
      + "8d2e1da5448ab58317b08591338c9475f7124a0e86354d71cb964da5f751619d0641c7d774647fe9",
  ]

  /// For the vault of ``genesis``.
  package static let invitationCodeText = "INVITE1-000G-40R4-0M30-E209-185G-R38E-1X0T-0BTN-99PJ-09K9-C2KJ-SGYK"

  package init() throws {
    root = try PartyKeys(secret: Self.secret(1, 64))
    device = try PartyKeys(secret: Self.secret(2, 64))
    admin = try PartyKeys(secret: Self.secret(3, 64))
    principal = try PartyKeys(secret: Self.secret(4, 64))
    delivery = try AgreementKey(secret: Self.secret(11, 32))
    vaultKey = try VaultKey(parsing: Self.vaultKeyText)
    group = GroupID(vault: vault, name: groupName)
    groupKeys = try GroupKeys(group: group, generation: 1, secret: Self.secret(5, 64))
    transport = TransportKey(generation: 1, key: try SymmetricKey(Self.secret(6, 32)))
    transportBoxes = Self.boxTexts.compactMap { bytes(hexadecimal: $0) }
    genesis = Genesis(
      vault: vault, created: time, root: root, firstDevice: device.publicKeys, firstAdmin: admin.publicKeys)
  }

  /// Returns secret bytes derived from a number.
  package static func secret(_ number: UInt8, _ count: Int) -> SecretBytes {
    let digests =
      Hash.digest([number, 0], domain: .vaultKey).bytes + Hash.digest([number, 1], domain: .vaultKey).bytes
    return SecretBytes(copying: digests[..<count])
  }

  package var author: AuthorID { AuthorID(vault: vault, keys: principal.publicKeys) }
  package var adminID: AuthorID { AuthorID(vault: vault, keys: admin.publicKeys) }
  package var deviceID: DeviceID { DeviceID(vault: vault, keys: device.publicKeys) }

  package var attributes: ItemAttributes {
    ItemAttributes([
      .account: .string("grüße@example.com"), .service: .string("photo"), .generic: .data([0, 1, 255]),
      .created: .date(time), .port: .number(-443), .label: .string(""),
    ])
  }

  /// Returns one statement of each kind.
  package func statements() throws -> [Statement] {
    let boxes = try [(AuthorID.root, root), (adminID, admin), (author, principal)].map { recipient, keys in
      AddressedBox(recipient: recipient, box: try keys.publicKeys.box.seal(groupKeys.secret))
    }
    return [
      .transportKey(
        TransportKeyStatement(
          generation: 1, commitment: transport.commitment, wrappedPrevious: [], boxes: transportBoxes)),
      .principal(PrincipalStatement(app: genesis.hash, device: deviceID, keys: principal.publicKeys)),
      .groupKey(
        GroupKeyStatement(
          name: groupName, commitment: groupKeys.commitment, boxes: boxes)),
      .grant(GrantStatement(group: group, generation: 1, boxes: Array(boxes.prefix(1)))),
      .withdrawal(
        WithdrawalStatement(entries: [genesis.hash, EntryHash(Hash.digest([UInt8]("entry".utf8), domain: .logEntry))])),
      .app(
        AppStatement(
          applicationID: "ABCDE12345.com.example.photo", bundleID: "com.example.photo", sourcePrefix: nil,
          requiresPassphrase: false, groups: statedGroups, entitlements: [UInt8]("<plist/>".utf8))),
      .revocation(revocation),
      .groupKeyRenewal(
        try GroupKeyRenewalStatement(
          group: group, generation: 3, commitment: renewedGroupKeys().commitment, wrappedGeneration: 1,
          wrapped: renewedGroupKeys().wrap(groupKeys),
          boxes: [(AuthorID.root, root), (adminID, admin)].map { recipient, keys in
            AddressedBox(recipient: recipient, box: try keys.publicKeys.box.seal(renewedGroupKeys().secret))
          })),
      .transportKey(
        try TransportKeyStatement(
          generation: 2, commitment: nextTransport().commitment,
          wrappedPrevious: nextTransport().wrap(transport, in: vault), boxes: transportBoxes)),
      .dismissal(
        DismissalStatement(
          of: [7, 9].map {
            ItemAddress(group: group, item: ItemID(Bytes16(truncating: Hash.digest([$0], domain: .item))))
          },
          after: genesis.hash, reason: "Konto gelöscht")),
      .device(
        DeviceStatement(
          keys: device.publicKeys, role: .admin(admin.publicKeys, delivery: delivery.publicKey), name: "Büro")),
      .device(
        DeviceStatement(keys: device.publicKeys, role: .member(delivery: delivery.publicKey), name: "laptop")),
      .appointment(
        AppointmentStatement(
          device: deviceID, adminKeys: admin.publicKeys,
          delivery: try DeliveredKeys(sealing: admin, to: delivery.publicKey))),
      .principal(
        PrincipalStatement(
          app: genesis.hash, device: deviceID, keys: principal.publicKeys,
          delivery: try DeliveredKeys(sealing: principal, to: delivery.publicKey))),
      .succession(try succession()),
      .device(DeviceStatement(keys: device.publicKeys, role: .readOnly(expires: time), name: "ci")),
      .resolution(
        ResolutionStatement(
          rejecting: [EntryHash(Hash.digest([UInt8]("entry".utf8), domain: .logEntry)), genesis.hash],
          recovering: try [1, 3].map { generation in
            RecoveredKey(
              group: group, generation: generation, commitment: groupKeys.commitment, wrappingGeneration: 3,
              wrapped: try renewedGroupKeys().wrapRecovered(
                GroupKeys(group: group, generation: generation, secret: groupKeys.secret)))
          })),
      .device(
        DeviceStatement(
          keys: device.publicKeys, role: .invited(try invitationCode().key.id, delivery: delivery.publicKey),
          name: "Büro")),
      .deviceName(DeviceNameStatement(device: deviceID, name: "Küche")),
      .groupRequirement(GroupRequirementStatement(group: group, requirement: .strong)),
    ]
  }

  /// One group of each source.
  package var statedGroups: [StatedGroup] {
    [
      StatedGroup(name: groupName, source: .keychainAccessGroups),
      StatedGroup(name: "ABCDE12345.com.example.photo", source: .applicationIdentifier),
      StatedGroup(name: "group.com.example.photo", source: .applicationGroups),
      StatedGroup(name: "ABCDE12345.com.example.pro", source: .readOnlyAccessGroups),
    ]
  }

  /// The third generation of the group's keys, which wraps the first.
  package func renewedGroupKeys() throws -> GroupKeys {
    // The second half is the same in each generation.
    let secret = SecretBytes(joining: Self.secret(10, 32), groupKeys.secret.slice(32..<64))
    return try GroupKeys(group: group, generation: 3, secret: secret)
  }

  package func nextTransport() throws -> TransportKey {
    TransportKey(generation: 2, key: try SymmetricKey(Self.secret(9, 32)))
  }

  /// A list of two records.
  package var recordList: RecordList {
    RecordList.lists(of: [1, 2].map { RecordHash(Hash.digest([$0], domain: .record)) }, in: vault)[0]
  }

  /// A revocation with two elements of each list.
  package var revocation: RevocationStatement {
    func hash(_ number: UInt8) -> Bytes32 { Hash.digest([number], domain: .segment) }
    let groups = [GroupID(.zero), group]
    return RevocationStatement(
      machines: [
        RevocationStatement.Machine(
          device: deviceID,
          ends: [
            StreamPosition(stream: stream, number: 7, hash: SegmentHash(hash(7))),
            StreamPosition(stream: StreamID(.zero), number: 0, hash: SegmentHash(hash(8))),
          ]),
        RevocationStatement.Machine(device: DeviceID(.zero), ends: []),
      ],
      apps: [genesis.hash, EntryHash(hash(1))],
      authors: [
        RevocationStatement.CutAuthor(author: adminID, groups: nil),
        RevocationStatement.CutAuthor(
          author: author,
          groups: groups.enumerated().map { index, group in
            RevocationStatement.LostGroup(group: group, keepsReading: index == 1)
          }),
      ],
      recordCount: UInt64(RecordList.capacity) + 1, recordLists: [recordList.hash, hash(2)], followingEntries: 3,
      keys: groups.map { NewKey(group: $0, generation: 3, commitment: hash(3)) })
  }

  /// The second root.
  package func laterRoot() throws -> PartyKeys { try PartyKeys(secret: Self.secret(11, 64)) }

  /// The slot of the first root.
  package var rootSlot: RootSlot { RootSlot(genesis: genesis, generation: 1, root: root, under: vaultKey) }

  /// The slot of the first root, with the first transport key.
  package var completeRootSlot: RootSlot {
    RootSlot(genesis: genesis, generation: 1, root: root, firstKey: transport, under: vaultKey)
  }

  /// The slot of the second root, under the same vault key.
  package func laterRootSlot() throws -> RootSlot {
    RootSlot(genesis: genesis, generation: 2, root: try laterRoot(), under: vaultKey)
  }

  /// A succession that replaces the transport key and one group's key. Its slot has no random part.
  package func succession() throws -> SuccessionStatement {
    SuccessionStatement(
      root: try laterRoot().publicKeys, generation: 2, slot: Hash.digest([2], domain: .rootSlot), followingEntries: 2,
      keys: [
        try NewKey(group: group, generation: 3, commitment: renewedGroupKeys().commitment),
        try NewKey(group: GroupID.none, generation: 2, commitment: nextTransport().commitment),
      ])
  }

  /// Returns a chain of entries with one statement each: root signs the first, the succession and the resolution, the
  /// admin the others.
  package func entries() throws -> [LogEntry] {
    var position = LogPosition(sequence: 0, hash: genesis.hash)
    return try statements().enumerated().map { index, statement in
      var isRoots = index == 0
      switch statement {
      case .succession, .resolution: isRoots = true
      default: break
      }
      let entry = LogEntry(
        vault: vault, after: position, time: time, signer: isRoots ? .root : .admin(adminID),
        key: isRoots ? root.signing : admin.signing, statement: statement)
      position = entry.position
      return entry
    }
  }

  /// Returns a header; `bases` and `tokens` are numbers from which hashes are derived.
  package func header(
    content: RecordHeader.Content = .value, bases: [UInt8] = [], tokens: [Token] = [], time: Timestamp? = nil,
    created: Timestamp? = nil, isDeviceLocal: Bool = false
  ) -> RecordHeader {
    RecordHeader(
      vault: vault, group: group, generation: 1,
      item: groupKeys.itemID(.genericPassword, isSynchronizable: false, attributes: attributes),
      itemClass: .genericPassword, content: content, isDeviceLocal: isDeviceLocal,
      bases: bases.map { RecordHash(Hash.digest([$0], domain: .record)) }, time: time ?? self.time,
      created: created, author: author, tokens: tokens)
  }

  /// Returns a record with two bases and two tokens.
  package func record(
    value: [UInt8] = [UInt8]("correct horse".utf8), created: Timestamp? = nil
  ) -> Record {
    let tokens = [AttributeCode.account, .service].compactMap { code in
      attributes[code].map { groupKeys.token(code, $0) }
    }
    return Record(
      header: header(bases: [1, 2], tokens: tokens, created: created), attributes: attributes, value: value,
      keys: groupKeys,
      signer: principal.signing)
  }

  /// Returns a device-local record of the machine whose device file is `deviceFile`.
  package func deviceLocalRecord() -> Record {
    Record(
      header: header(bases: [1], isDeviceLocal: true), attributes: attributes, value: [UInt8]("only here".utf8),
      keys: groupKeys.deviceLocal(deviceFile.localSecret), signer: principal.signing)
  }

  package func tombstone(successor: ItemID? = nil) -> Record {
    Record(
      header: header(content: .tombstone(successor: successor), bases: [3]), attributes: nil, value: [],
      keys: groupKeys, signer: principal.signing)
  }

  /// Returns the first segment of a stream.
  package func segment(records: [[UInt8]]? = nil) -> Segment {
    let other = StreamPosition(
      stream: StreamID(.zero), number: 7, hash: SegmentHash(Hash.digest([7], domain: .segment)))
    return Segment(
      vault: vault, device: deviceID, stream: stream, after: nil,
      log: LogPosition(sequence: 1, hash: genesis.hash), seen: [other], group: group,
      records: records ?? [record().bytes, tombstone().bytes], key: device.signing)
  }

  /// A branch of the second epoch.
  package func secondBranch() throws -> EpochBranch {
    guard let branch = EpochBranch(epoch: 2, tagged: 0x00A1_B2C3_D4E5_F607) else { throw CryptoError.invalidSize }
    return branch
  }

  /// A chunk with an entry of each kind.
  package var snapshotChunk: SnapshotChunk {
    let origin = SnapshotEntry.Origin(device: deviceID, stream: stream, number: 5, log: 9)
    return SnapshotChunk(
      vault: vault, epoch: 2, number: 1,
      entries: [
        .record(tombstone().bytes), .skeleton(record().signedBytes), .pending(record(value: [7]).bytes, origin),
      ])
  }

  /// The checkpoint of the second or a later epoch, with two streams and two chunks.
  package func checkpoint(epoch: UInt32 = 2) -> Checkpoint {
    func hash(_ number: UInt8) -> Bytes32 { Hash.digest([number], domain: .segment) }
    return Checkpoint(
      vault: vault, epoch: epoch, after: epoch == 2 ? .beforeFirst : CheckpointHash(hash(1)),
      log: LogPosition(sequence: 3, hash: genesis.hash), time: time,
      streams: [
        CoveredStream(position: segment().position, device: deviceID),
        CoveredStream(
          position: StreamPosition(stream: StreamID(.zero), number: 7, hash: SegmentHash(hash(7))),
          device: DeviceID(.zero)),
      ],
      chunks: [hash(2), snapshotChunk.hash], device: deviceID, key: device.signing)
  }

  /// The end of the first epoch.
  package func closing() throws -> Closing {
    Closing(
      vault: vault, continuedOn: try secondBranch(), checkpoint: checkpoint().hash, device: deviceID,
      key: device.signing)
  }

  /// The statement of a backup of the second epoch.
  package func backupStatement(hasKey: Bool = true, isComplete: Bool = true) throws -> BackupStatement {
    var files = BackupFileList()
    files.add("genesis", genesis.bytes)
    return BackupStatement(
      BackupStatement.Contents(
        vault: vault, time: time, branch: try secondBranch(), log: LogPosition(sequence: 3, hash: genesis.hash),
        files: files.hash, key: hasKey ? BackupFileList.hash(of: [1, 2, 3]) : nil, localItemCount: 7,
        isComplete: isComplete),
      device: deviceID, key: device.signing)
  }

  /// The key of the shop that issues the receipts.
  package func shop() throws -> SigningKey {
    try SigningKey(seed: SecretBytes(copying: [UInt8](repeating: 11, count: 32)[...]))
  }

  /// The receipt of the sample vault.
  package func receipt(expires: Bool = true, isRefund: Bool = false) throws -> ReceiptStatement {
    let shop = try shop()
    return try ReceiptStatement(
      ReceiptStatement.Contents(
        product: "photo-pro", buyer: BuyerID(genesis: genesis.hash, shop: shop.publicKey), issued: time,
        expires: expires ? Timestamp(microseconds: time.microseconds + 1) : nil, isRefund: isRefund, note: "order 4711"),
      key: shop)
  }

  /// The item to which the protected values belong.
  package func protectedItem(reference: UInt8 = 7) throws -> ProtectedItem {
    let reference = ItemAttributes([.persistentReference: .data([UInt8](repeating: reference, count: 16))])
    guard let item = ProtectedItem(vault: vault, itemClass: .genericPassword, attributes: reference) else {
      throw CryptoError.invalidSize
    }
    return item
  }

  package func credential(passphrase: SecretText? = nil) throws -> Credential {
    try Credential(
      genesis: genesis.hash, applicationID: "ABCDE12345.com.example.photo", device: deviceID, keys: principal,
      in: vault, seen: LogPosition(sequence: 3, hash: genesis.hash), passphrase: passphrase, cost: .floor)
  }

  package var headlessCredential: HeadlessCredential {
    HeadlessCredential(
      device: deviceFile, seen: LogPosition(sequence: 3, hash: genesis.hash),
      apps: [
        HeadlessCredential.App(applicationID: "ABCDE12345.com.example.photo", keys: principal),
        HeadlessCredential.App(applicationID: "ABCDE12345.com.example.pro", keys: admin),
      ])
  }

  package func invitationCode() throws -> InvitationCode {
    try InvitationCode(parsing: SecretText(copying: Self.invitationCodeText.utf8))
  }

  package var invitationRequest: InvitationRequest {
    InvitationRequest(
      genesis: genesis.hash, nonce: Bytes16(truncating: Hash.digest([1], domain: .invitationRequest)),
      keys: device.publicKeys, deliveryKey: delivery.publicKey, name: "Büro")
  }

  /// The answer that enrols the machine of ``invitationRequest``.
  package func invitationAnswer() throws -> InvitationAnswer {
    InvitationAnswer(
      genesis: genesis.hash,
      outcome: .admitted(
        InvitationAnswer.Admission(
          head: LogPosition(sequence: 3, hash: genesis.hash), rootGeneration: 1, transportKey: transport,
          to: invitationRequest)))
  }

  /// An invitation of each role.
  package func invitationsFile() throws -> InvitationsFile {
    let later = Timestamp(microseconds: time.microseconds + 86_400_000_000)
    return InvitationsFile(
      genesis: genesis.hash,
      invitations: [
        Invitation(
          key: try invitationCode().key, created: time, expires: later, isForAdmin: false,
          applications: ["ABCDE12345.com.example.photo", "ABCDE12345.com.example.pro"], name: "Büro", state: .cancelled,
          requests: [invitationRequest.hash]),
        Invitation(
          key: InvitationKey(transport.key), created: time, expires: later, isForAdmin: true, applications: [],
          name: nil),
      ])
  }

  package func pendingEnrolment() throws -> PendingEnrolment {
    PendingEnrolment(key: try invitationCode().key, url: "ssh://host/vault.git", request: invitationRequest)
  }

  package var deviceFile: DeviceFile {
    DeviceFile(genesis: genesis.hash, keys: device, localSecret: Self.secret(7, 32), transportKeys: [transport])
  }
}
