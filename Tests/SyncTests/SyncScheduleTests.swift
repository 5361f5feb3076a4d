import CofferExchange
import Testing

/// When a vault that syncs by itself is synced.
@Suite struct SyncScheduleTests {
  private func schedule(every minutes: Int = 15, factor: Double = 1) -> SyncSchedule {
    SyncSchedule(interval: .seconds(60 * minutes), factor: { factor })
  }

  @Test func `The first sync is due at once, and the next one after the interval, up to a fifth earlier or later`() {
    for factor in [0.8, 1, 1.2] {
      var schedule = schedule(factor: factor)
      #expect(schedule.next == .zero)
      schedule.finish(.done, at: .seconds(10))
      #expect(schedule.next == .seconds(10) + .seconds(900) * factor)
    }
    var random = SyncSchedule(interval: .seconds(900))
    var waits: Set<Duration> = []
    for _ in 0..<100 {
      random.finish(.done, at: .zero)
      waits.insert(random.next)
    }
    #expect(waits.allSatisfy { (.seconds(720)...Duration.seconds(1080)).contains($0) } && waits.count > 50)
  }

  @Test func `A commit is synced two seconds later, a series of commits once, and after twenty seconds at the latest`()
  {
    var schedule = schedule()
    schedule.finish(.done, at: .zero)
    schedule.noteChange(at: .seconds(100))
    #expect(schedule.next == .seconds(102))
    schedule.noteChange(at: .seconds(101))
    #expect(schedule.next == .seconds(103))
    for second in 102..<130 { schedule.noteChange(at: .seconds(second)) }
    #expect(schedule.next == .seconds(120))
    // A sync that is due anyway is not deferred.
    schedule.finish(.done, at: .seconds(130))
    schedule.noteChange(at: .seconds(1029))
    #expect(schedule.next == .seconds(1030))
  }

  @Test func `What a program misses is looked for at once, and not within half a minute of the last sync`() {
    var schedule = schedule()
    schedule.finish(.done, at: .zero)
    schedule.noteMiss(at: .seconds(10))
    #expect(schedule.next == .seconds(30))
    schedule.finish(.done, at: .seconds(30))
    schedule.noteMiss(at: .seconds(300))
    #expect(schedule.next == .seconds(300))
    // While the remote cannot be reached, only time and the network bring the next attempt forward.
    schedule.finish(.failed, at: .seconds(300))
    schedule.noteMiss(at: .seconds(301))
    #expect(schedule.next == .seconds(310))
  }

  @Test func `After failures the wait doubles, up to the interval and to half an hour`() {
    for (minutes, longest) in [(15, 900), (120, 1800)] {
      var schedule = schedule(every: minutes)
      var waits: [Duration] = []
      for _ in 0..<40 {
        schedule.finish(.failed, at: .zero)
        waits.append(schedule.next)
      }
      #expect(waits.prefix(4) == [.seconds(10), .seconds(20), .seconds(40), .seconds(80)])
      #expect(waits.last == .seconds(longest))
      // Commits do not bring the next attempt forward.
      schedule.noteChange(at: .seconds(1))
      #expect(schedule.next == .seconds(longest))
      schedule.finish(.done, at: .zero)
      schedule.finish(.failed, at: .zero)
      #expect(schedule.next == .seconds(10))
    }
  }

  @Test func `A change of the network brings the next attempt forward after a failure only`() {
    var schedule = schedule()
    schedule.finish(.done, at: .zero)
    schedule.noteNetworkChange(at: .seconds(5))
    #expect(schedule.next == .seconds(900))
    for _ in 0..<9 { schedule.finish(.failed, at: .zero) }
    schedule.noteNetworkChange(at: .seconds(5))
    #expect(schedule.next == .seconds(8))
    // The waits begin anew.
    schedule.finish(.failed, at: .zero)
    #expect(schedule.next == .seconds(20))
  }

  @Test func `A network that comes and goes brings attempts forward less and less, until one succeeds`() {
    var schedule = schedule()
    var now = Duration.zero
    var waits: [Duration] = []
    for _ in 0..<9 {
      for _ in 0..<6 { schedule.finish(.failed, at: now) }
      // Several changes follow each other: only the first one brings the attempt forward.
      for _ in 0..<3 { schedule.noteNetworkChange(at: now) }
      waits.append(schedule.next - now)
      now = schedule.next
    }
    #expect(waits == [3, 6, 12, 24, 48, 96, 192, 300, 300].map { .seconds($0) })
    schedule.finish(.done, at: now)
    schedule.finish(.failed, at: now)
    schedule.noteNetworkChange(at: now)
    #expect(schedule.next - now == .seconds(3))
  }

  @Test func `After a suspension the vault is synced soon`() {
    var schedule = schedule()
    schedule.finish(.done, at: .zero)
    schedule.noteResumption(at: .seconds(60))
    #expect(schedule.next == .seconds(65))
  }

  @Test func `If the owner is needed, the wait is long, and a change of the vault ends it`() {
    var schedule = schedule()
    schedule.finish(.needsOwner, at: .zero)
    #expect(schedule.next == .seconds(1800))
    schedule.noteNetworkChange(at: .seconds(1))
    schedule.noteResumption(at: .seconds(1))
    #expect(schedule.next == .seconds(1800))
    schedule.noteChange(at: .seconds(10))
    #expect(schedule.next == .seconds(12))
  }
}
