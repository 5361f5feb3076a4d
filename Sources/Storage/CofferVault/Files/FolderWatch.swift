internal import CofferPlatform
internal import Dispatch
internal import CofferSystem

/// Calls a function when a file of a folder is written, by this process or another one, and on Linux when the folder
/// itself is moved, or deleted while no file in it is open. Nothing is polled.
///
/// Unchecked Sendable: its properties never change, and a dispatch source can be used from any thread.
package final class FolderWatch: @unchecked Sendable {
  #if os(Linux)
    private let source: any DispatchSourceRead

    private init(_ source: any DispatchSourceRead) { self.source = source }
  #else
    private let sources: [any DispatchSourceFileSystemObject]

    private init(_ sources: [any DispatchSourceFileSystemObject]) { self.sources = sources }
  #endif

  /// Starts to watch the files in a folder whose names begin with `prefix`. `notify` is called on some thread after
  /// writes; one call may be for several writes.
  package static func start(
    on folder: String, prefix: String, notify: @escaping @Sendable () -> Void
  ) throws(VaultError) -> FolderWatch {
    #if os(Linux)
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { throw systemFailure("watch \(folder)") }
      let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO) | ownEvents
      guard unsafe inotify_add_watch(descriptor, folder, events) >= 0 else {
        let error = systemFailure("watch \(folder)")
        close(descriptor)
        throw error
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .serial("folder"))
      source.setEventHandler {
        if drain(descriptor, prefix: prefix) { notify() }
      }
      source.setCancelHandler { close(descriptor) }
      source.activate()
      return FolderWatch(source)
    #else
      // Here the kernel reports single files. The write-ahead log may be created again, which the folder reports.
      var sources: [any DispatchSourceFileSystemObject] = []
      for path in [folder] + ["", "-wal"].map({ "\(folder)/\(prefix)\($0)" }) {
        let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { continue }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .extend], queue: .serial("folder"))
        source.setEventHandler(handler: notify)
        source.setCancelHandler { close(descriptor) }
        source.activate()
        sources.append(source)
      }
      guard !sources.isEmpty else { throw systemFailure("watch \(folder)") }
      return FolderWatch(sources)
    #endif
  }

  deinit {
    #if os(Linux)
      source.cancel()
    #else
      for source in sources { source.cancel() }
    #endif
  }

  #if os(Linux)
    /// The events of the folder itself.
    private static let ownEvents = UInt32(IN_MOVE_SELF | IN_DELETE_SELF)

    /// Reads the kernel's events. Returns whether a watched file was written, the folder was moved or deleted, or
    /// events were lost because there were too many.
    private static func drain(_ descriptor: Int32, prefix: String) -> Bool {
      var isAffected = false
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return isAffected }
        var offset = 0
        let headerByteCount = MemoryLayout<inotify_event>.size
        while offset + headerByteCount <= count {
          let event = unsafe buffer.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          }
          let nameStart = offset + headerByteCount
          let nameEnd = min(nameStart + Int(event.len), count)
          let name = String(decoding: buffer[nameStart..<nameEnd].prefix { $0 != 0 }, as: UTF8.self)
          if name.hasPrefix(prefix) || event.mask & (UInt32(IN_Q_OVERFLOW) | ownEvents) != 0 { isAffected = true }
          offset = nameEnd
        }
      }
    }
  #endif
}
